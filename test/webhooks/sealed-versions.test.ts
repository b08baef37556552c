import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VersionReader } from '../../src/webhooks/version-reader.ts';
import { openBytes } from '../../src/webhooks/sealing/open-document.ts';
import type { KeySet } from '../../src/webhooks/sealing/key-set.ts';
import { json } from '../support/builders.ts';
import { framed } from '../support/registry/framed.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { createOpening, plain, right, sealed, sealWith, unreadable, wrong } from './opening.ts';

describe('sealed configurations', () => {
  it('are in the directory, opened, once all changes are settled', async () => {
    await using one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    one.opening.upsert('b', json(plain('b', 2)));
    expect([one.held('a', 'b'), one.opening.waiting]).toEqual([[undefined, undefined], 2]);
    await one.opening.settled();
    expect([one.held('a', 'b'), one.opening.waiting]).toEqual([['1', '2'], 0]);
    expect(one.directory.byId('a')?.endpoint().customHeaders).toMatchObject({ 'X-Environment': 'production' });
  });

  it('are refused with their owner and the reason when no key opens them', async () => {
    await using one = await settledOpening(wrong);
    expect(one.directory.ofOwner('owner')).toMatchObject([{ id: 'a', state: 'invalid' }]);
    const problem = 'is sealed by A256KW with the key "right", and WEBHOOK_KEYS_FILE holds no such key';
    expect(one.refusals).toEqual([`a of owner: auth: ${problem}, customHeaders: ${problem}`]);
  });

  it('are refused without any of their contents in the problems', async () => {
    await using one = createOpening(right);
    const auth = { authType: 'bearer_token', token: 'hush\n' };
    one.opening.upsert('a', json(await sealWith(right, { ...plain('a', 1), auth, url: 'http://a/' })));
    await one.opening.settled();
    expect(one.refusals).toEqual([
      'a of owner: url: must be an absolute https: URL, auth.token: must be printable ASCII',
    ]);
  });

  it('open when their key is added, without a new version', async () => {
    await using one = createOpening(wrong);
    for (const id of ['a', 'b']) one.opening.upsert(id, await sealed(id, 1));
    await one.opening.settled();
    one.opening.useKeys([...right, ...wrong]);
    await one.opening.settled();
    expect(one.held('a', 'b')).toEqual(['1', '1']);
    expect(one.refusals).toHaveLength(2);
  });

  it('open with a key that is added while another one is tried', async () => {
    await using one = createOpening(wrong);
    one.opening.upsert('a', await sealed('a', 1));
    const settled = one.opening.settled();
    await Promise.resolve();
    await Promise.resolve();
    one.opening.useKeys(right);
    await settled;
    expect([one.held('a'), one.refusals]).toEqual([['1'], []]);
  });

  it('keep their owner when a version that can not be read comes before they are opened', async () => {
    await using one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    for (let time = 1; time <= 2; time += 1) one.opening.upsert('a', unreadable);
    await one.opening.settled();
    expect(one.held('a')).toEqual(['invalid']);
    expect(one.directory.ofOwner('owner')).toMatchObject([{ id: 'a' }]);
  });

  it('stay open when their key is removed, until their next version', async () => {
    await using one = await settledOpening(right);
    one.opening.useKeys(wrong);
    await one.opening.settled();
    expect(one.held('a')).toEqual(['1']);
    one.opening.upsert('a', await sealed('a', 2));
    await one.opening.settled();
    expect(one.held('a')).toEqual(['invalid']);
  });

  it.each<readonly [string, (opening: VersionReader) => void, unknown]>([
    ['removed', (opening) => opening.remove('a'), undefined],
    ['replaced by one that can not be read', (opening) => opening.upsert('a', unreadable), 'invalid'],
    ['replaced by an unsealed version', (opening) => opening.upsert('a', json(plain('a', 2))), '2'],
    ['left out of a complete set', (opening) => opening.replaceAll([]), undefined],
  ])('do not return when their key is added after they are %s', async (_, change, expected) => {
    await using one = await settledOpening(wrong);
    change(one.opening);
    one.opening.useKeys(right);
    await one.opening.settled();
    expect(one.held('a')).toEqual([expected]);
    one.opening.useKeys([...right]);
    await one.opening.settled();
    expect(one.held('a')).toEqual([expected]);
  });

  it('stay the same version when they are sealed again', async () => {
    await using one = await settledOpening(right);
    const before = one.directory.byId('a');
    one.opening.upsert('a', await sealed('a', 1));
    await one.opening.settled();
    expect(one.directory.byId('a')).toBe(before);
  });

  it('are required with WEBHOOK_REQUIRE_SEALED, which refuses unsealed versions', async () => {
    await using one = createOpening(right, true);
    const steps = [json(plain('a', 1)), await sealed('a', 1), json(plain('a', 1))];
    const states: unknown[] = [];
    for (const document of steps) {
      one.opening.upsert('a', document);
      await one.opening.settled();
      states.push(one.directory.byId('a')?.state);
    }
    expect(states).toEqual(['invalid', 'active', 'invalid']);
    expect(one.refusals[0]).toBe('a of owner: auth: must be sealed, customHeaders: must be sealed');
  });

  it('are known by their ids before they are opened', async () => {
    await using one = createOpening(right);
    one.opening.upsert('removed', json(plain('removed', 1)));
    one.opening.upsert('stays', json(plain('stays', 1)));
    await one.opening.settled();
    const version = await sealed('new', 1);
    one.opening.remove('removed');
    one.opening.upsert('new', version);
    one.opening.upsert('unreadable', unreadable);
    const ids = new Set(['stays', 'new', 'unreadable']);
    expect(new Set(one.opening.ids())).toEqual(ids);
    await one.opening.settled();
    expect(new Set(one.opening.ids())).toEqual(ids);
  });

  it('wait for their schema, and then for their key', async () => {
    let hasSchema = false;
    const document = await sealed('a', 1);
    const [one, clock] = [createOpening([]), new ManualClock()];
    await using opening = new VersionReader({
      directory: one.directory,
      framed: {
        hasSchema: () => hasSchema,
        ask: () => Promise.resolve(hasSchema ? 'found' : 'unknown'),
        read: () => ({ kind: 'json', document: undefined, bytes: document }),
      },
      sealing: { open: openBytes, requireSealed: true },
      clock,
    });
    opening.upsert('a', framed(1, document));
    await opening.settled();
    opening.useKeys(wrong);
    hasSchema = true;
    await clock.advance(2_000);
    await opening.settled();
    expect(one.refusals).toEqual([
      expect.stringMatching(/^a of undefined: is framed with schema 1/),
      expect.stringMatching(/^a of owner: auth: is sealed by/),
    ]);
    opening.useKeys(right);
    await opening.settled();
    expect(one.held('a')).toEqual(['1']);
  });

  it('replace all others in one step', async () => {
    await using one = createOpening(right);
    one.opening.upsert('old', await sealed('old', 1));
    await one.opening.settled();
    const ids = Array.from({ length: 50 }, (_, index) => `new-${index}`);
    one.opening.replaceAll(await Promise.all(ids.map(async (id) => ({ id, document: await sealed(id, 1) }))));
    const seen = new Set<string>();
    await turnsUntil(one.opening.settled(), () => {
      seen.add(`old: ${one.held('old').join()}, all: ${one.directory.counts().active}`);
    });
    expect([...seen]).toEqual(['old: 1, all: 1', 'old: , all: 50']);
  });

  it('are awaited by callers that awaited the changes they replace', async () => {
    await using one = createOpening(right);
    const [old, replacement] = [await sealed('old', 1), await sealed('new', 1)];
    one.opening.upsert('old', old);
    const settled = one.opening.settled();
    one.opening.replaceAll([{ id: 'new', document: replacement }]);
    await settled;
    expect(one.held('old', 'new')).toEqual([undefined, '1']);
  });

  it('leave turns of the event loop to others, however many there are', async () => {
    await using one = createOpening(right);
    for (let index = 0; index < 10_000; index += 1) one.opening.upsert(`${index}`, json(plain(`${index}`, 1)));
    expect(await turnsUntil(one.opening.settled())).toBeGreaterThan(3);
    expect(one.directory.counts().active).toBe(10_000);
  });

  it('are never settled after the sink is disposed of', async () => {
    const one = createOpening(right);
    one.opening.upsert('a', await sealed('a', 1));
    const settled = one.opening.settled();
    await Promise.all([expect(settled).rejects.toThrow('no longer read'), one[Symbol.asyncDispose]()]);
    await expect(one.opening.settled()).rejects.toThrow('no longer read');
  });
});

/** Creates an opening whose directory holds the first version of `a`, or has refused it. */
async function settledOpening(keys: KeySet) {
  const one = createOpening(keys);
  one.opening.upsert('a', await sealed('a', 1));
  await one.opening.settled();
  return one;
}

/** Counts the turns of the event loop until the promise resolves. Calls `inspect` in each turn and once at the end. */
async function turnsUntil(end: Promise<void>, inspect = (): void => undefined): Promise<number> {
  const state = { done: false };
  const ended = end.then(() => (state.done = true));
  let turns = 0;
  for (; !state.done; turns += 1) {
    inspect();
    await setImmediate();
  }
  await ended;
  inspect();
  return turns;
}
