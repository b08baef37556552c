import { describe, expect, it } from 'vitest';
import { WebhookDirectory } from '../../src/webhooks/directory.ts';
import { aConfiguration, authentications, json, type Document } from '../support/builders.ts';

interface Refusal {
  readonly id: string;
  readonly ownerId: string | undefined;
  readonly problems: readonly string[];
}

function createDirectory(): { readonly directory: WebhookDirectory; readonly refusals: readonly Refusal[] } {
  const refusals: Refusal[] = [];
  const directory = new WebhookDirectory(
    { isAllowedPort: (port) => port === 443, mostInFlight: 16 },
    { configurationRefused: (refused) => void refusals.push(refused) },
  );
  return { directory, refusals };
}

function document(id: string, overrides: Document = {}): Buffer {
  return json(aConfiguration({ _id: id, _ownerId: 'owner', ...overrides }));
}

function idsOf(directory: WebhookDirectory, ownerId: string): readonly string[] {
  return directory.ofOwner(ownerId).map(({ id }) => id);
}

describe('the directory', () => {
  it('finds a webhook by its id and by its owner', () => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a'));
    expect(directory.byId('a')).toMatchObject({ id: 'a', ownerId: 'owner', state: 'active' });
    expect(directory.ofOwner('owner')).toEqual([directory.byId('a')]);
    expect([directory.byId('b'), directory.ofOwner('other')]).toEqual([undefined, []]);
  });

  it('returns the endpoint of the document at each call', () => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a', { auth: authentications.basic_auth }));
    const endpoints = [directory.byId('a')?.endpoint(), directory.byId('a')?.endpoint()];
    const endpoint = {
      url: new URL('https://hooks.example.com/certificates'),
      authentication: authentications.basic_auth,
      customHeaders: { 'X-Environment': 'production' },
    };
    expect(endpoints).toMatchObject([endpoint, endpoint]);
  });

  it('copies the document, whose bytes may be overwritten later', () => {
    const { directory } = createDirectory();
    const response = Buffer.concat([Buffer.from('before'), document('a'), Buffer.from('after')]);
    directory.upsert('a', response.subarray(6, -5));
    response.fill(0);
    expect(directory.byId('a')?.endpoint().url.host).toBe('hooks.example.com');
  });

  it('holds all webhooks of an owner', () => {
    const { directory } = createDirectory();
    for (const id of ['a', 'b', 'c']) directory.upsert(id, document(id));
    directory.remove('b');
    directory.remove('never there');
    expect(idsOf(directory, 'owner')).toEqual(['a', 'c']);
    directory.remove('a');
    directory.remove('c');
    expect(idsOf(directory, 'owner')).toEqual([]);
  });
});

describe('a version of a configuration', () => {
  it('is a new object, but not for the same bytes again', () => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a'));
    const first = directory.byId('a');
    directory.upsert('a', document('a'));
    expect(directory.byId('a')).toBe(first);
    directory.upsert('a', document('a', { paused: true }));
    expect(directory.byId('a')).not.toBe(first);
    expect(directory.ofOwner('owner')).toEqual([directory.byId('a')]);
  });

  it.each([
    ['active', {}, true],
    ['paused', { paused: true }, true],
    ['disabled', { enabled: false, paused: true }, false],
    ['disabled', { enabled: false, url: 'nonsense' }, false],
    ['invalid', { url: 'nonsense' }, true],
    ['invalid', { url: 'nonsense', paused: true }, true],
    ['invalid', { _id: 'another' }, true],
  ])('makes a webhook that is %s for %j', (state, overrides, wants) => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a', overrides));
    const webhook = directory.byId('a');
    expect([webhook?.state, webhook?.wants('certificate_completed')]).toEqual([state, wants]);
    expect(directory.counts()).toEqual({ active: 0, paused: 0, disabled: 0, invalid: 0, [state]: 1 });
  });

  it.each([
    [['certificate_completed'], true, false],
    [['certificate_expired'], false, true],
    [['certificate_expired', 'certificate_completed'], true, true],
    [undefined, true, true],
  ])('determines the events that the webhook wants: %j', (events, completed, expired) => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a', { events }));
    const webhook = directory.byId('a');
    expect([webhook?.wants('certificate_completed'), webhook?.wants('certificate_expired')]).toEqual([
      completed,
      expired,
    ]);
  });

  it('counts for its owner and its events even if it is refused', () => {
    const { directory } = createDirectory();
    directory.upsert('a', document('a'));
    directory.upsert('a', document('a', { _ownerId: 'new owner', events: ['certificate_expired'], url: 'nonsense' }));
    const [webhook] = directory.ofOwner('new owner');
    expect(webhook).toMatchObject({ id: 'a', state: 'invalid' });
    expect([webhook?.wants('certificate_completed'), webhook?.wants('certificate_expired')]).toEqual([false, true]);
    expect(() => webhook?.endpoint()).toThrow('a refused configuration has no endpoint');
    expect(idsOf(directory, 'owner')).toEqual([]);
  });

  it.each([
    ['text', Buffer.from('nonsense')],
    ['nothing', Buffer.alloc(0)],
    ['a byte order mark', Buffer.from(`\ufeff${document('a').toString()}`)],
    ['bytes that are not UTF-8', Buffer.from(document('a').toString().replace('production', 'é'), 'latin1')],
  ])('is refused, and claims its last owner, when its document is %s', (_, bytes) => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', document('a'));
    directory.upsert('a', bytes);
    expect(directory.byId('a')).toMatchObject({ state: 'invalid', ownerId: undefined });
    expect(idsOf(directory, 'owner')).toEqual(['a']);
    expect(refusals).toEqual([
      { id: 'a', ownerId: 'owner', problems: ['must be JSON, in UTF-8 without a byte order mark'] },
    ]);
  });

  it('may be refused by its source', () => {
    const { directory, refusals } = createDirectory();
    directory.refuse('a', 'must be framed with a schema that the registry knows');
    expect(directory.byId('a')?.state).toBe('invalid');
    expect(refusals.map(({ problems }) => problems)).toEqual([
      ['must be framed with a schema that the registry knows'],
    ]);
    directory.upsert('a', document('a'));
    expect(directory.counts()).toEqual({ active: 1, paused: 0, disabled: 0, invalid: 0 });
  });

  it('is new when the same bytes have other closed parts', () => {
    const { directory, refusals } = createDirectory();
    const [keyless, unsealed] = [{ auth: { problem: 'has no key' } }, { auth: { problem: 'must be sealed' } }];
    const states = [{}, keyless, keyless, unsealed, {}].map((closed) => {
      directory.upsert('a', document('a'), closed);
      return directory.byId('a')?.state;
    });
    expect(states).toEqual(['active', 'invalid', 'invalid', 'invalid', 'active']);
    expect(refusals.map(({ problems }) => problems)).toEqual([['auth: has no key'], ['auth: must be sealed']]);
  });

  it('is reported once when it is refused, and never when it is disabled', () => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', document('a', { url: 'nonsense' }));
    directory.upsert('a', document('a', { url: 'nonsense' }));
    directory.upsert('b', document('b', { url: 'nonsense', enabled: false }));
    expect(refusals).toEqual([{ id: 'a', ownerId: 'owner', problems: ['url: must be an absolute https: URL'] }]);
  });
});

describe('replacing all configurations', () => {
  it('removes the others, and keeps the objects of unchanged configurations', () => {
    const { directory } = createDirectory();
    for (const id of ['kept', 'changed', 'gone']) directory.upsert(id, document(id));
    const [kept, changed] = [directory.byId('kept'), directory.byId('changed')];
    directory.replaceAll([
      { id: 'kept', document: document('kept') },
      { id: 'changed', document: document('changed', { paused: true }) },
      { id: 'new', document: document('new') },
    ]);
    expect(directory.byId('kept')).toBe(kept);
    expect(directory.byId('changed')).not.toBe(changed);
    expect(directory.byId('gone')).toBeUndefined();
    expect(directory.counts()).toEqual({ active: 2, paused: 1, disabled: 0, invalid: 0 });
  });

  it('accepts ids and owners with the names of properties that every object has', () => {
    const { directory } = createDirectory();
    directory.upsert('__proto__', document('__proto__', { _ownerId: 'constructor' }));
    expect(idsOf(directory, 'constructor')).toEqual(['__proto__']);
    expect([directory.byId('constructor'), directory.ofOwner('__proto__')]).toEqual([undefined, []]);
  });
});
