import { describe, expect, it } from 'vitest';
import { withoutRegistry } from '../../src/certificates/framing.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openBytes } from '../../src/webhooks/sealing/open-document.ts';
import { VersionReader } from '../../src/webhooks/version-reader.ts';
import type { SealingKey } from '../../src/webhooks/sealing/methods.ts';
import { json, type Document } from '../support/builders.ts';
import { createDirectory, createOpening, plain, right, sealed, sealWith } from './opening.ts';

const tooDeep = 'must not be nested more than 32 deep';
const tooLarge = 'must not exceed 64 KiB';

/** Returns the JSON of a value that is `levels` objects or lists deep. */
function nested(levels: number, open = '{"a":', close = '}'): string {
  return `${open.repeat(levels - 1)}{}${close.repeat(levels - 1)}`;
}

/** Inserts a field, given as JSON, behind or before the other fields of a document. */
function withField(document: Document, field: string, place: 'first' | 'last' = 'last'): Buffer {
  const text = JSON.stringify(document);
  return Buffer.from(
    place === 'last' ? `${text.slice(0, -1)},"extra":${field}}` : `{"extra":${field},${text.slice(1)}`,
  );
}

describe('a configuration nested 10,000 deep', () => {
  it('is refused, and claims the records of its owner', () => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', withField(plain('a', 1), nested(10_000)));
    expect(refusals).toEqual([`a of owner: ${tooDeep}`]);
    expect(directory.ofOwner('owner')).toMatchObject([{ id: 'a', state: 'invalid' }]);
  });

  it('is refused, and not opened, when it has a sealed part', async () => {
    await using one = createOpening(right);
    const document = Object(JSON.parse((await sealed('a', 1)).toString()));
    one.opening.upsert('a', withField(document, nested(3_000)));
    one.opening.upsert('b', await sealed('b', 2));
    await one.opening.settled();
    expect([one.held('a', 'b'), one.refusals]).toEqual([
      ['invalid', '2'],
      [expect.stringMatching(`^a of owner: ${tooDeep}`)],
    ]);
    expect(new Set(one.directory.ofOwner('owner').map(({ id }) => id))).toEqual(new Set(['a', 'b']));
  });

  it('is refused when the nesting is inside of a sealed part', async () => {
    await using one = createOpening(right);
    const auth = { authType: 'bearer_token', token: 'hush', deep: Object(JSON.parse(nested(200))) };
    one.opening.upsert('a', json(await sealWith(right, { ...plain('a', 1), auth })));
    await one.opening.settled();
    expect(one.refusals).toEqual(['a of owner: auth: is sealed, and what is inside is nested more than 32 deep']);
  });
});

describe('the depth of a configuration', () => {
  it.each([
    ['32 objects, itself included', nested(31), 'active'],
    ['33 objects', nested(32), 'invalid'],
    ['32 lists', `[${nested(30, '[', ']')}]`, 'active'],
    ['33 lists', `[${nested(31, '[', ']')}]`, 'invalid'],
    ['brackets in a text', JSON.stringify('[{'.repeat(500)), 'active'],
  ])('is limited: %s', (_, field, state) => {
    const { directory } = createDirectory();
    directory.upsert('a', withField(plain('a', 1), field));
    expect(directory.byId('a')?.state).toBe(state);
  });
});

describe('the size of a configuration', () => {
  const sized = (bytes: number): Buffer => {
    const empty = withField(plain('a', 1), '""');
    return withField(plain('a', 1), JSON.stringify('x'.repeat(bytes - empty.length)));
  };

  it.each([
    [64 * 1024, 'active'],
    [64 * 1024 + 1, 'invalid'],
    [1024 * 1024, 'invalid'],
  ])('is limited: %i bytes', (bytes, state) => {
    const { directory } = createDirectory();
    directory.upsert('a', sized(bytes));
    expect(directory.byId('a')?.state).toBe(state);
  });

  it('does not hide its owner where that stands in the first 64 KiB', () => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', sized(100_000));
    directory.upsert('b', withField({ ...plain('b', 1), enabled: false }, JSON.stringify('x'.repeat(100_000))));
    directory.upsert('c', withField(plain('c', 1), JSON.stringify('x'.repeat(100_000)), 'first'));
    expect(refusals).toEqual([`a of owner: ${tooLarge}`, `c of undefined: ${tooLarge}`]);
    expect(directory.byId('b')?.state).toBe('disabled');
  });

  it('makes no new version of equal bytes', () => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', sized(100_000));
    const first = directory.byId('a');
    directory.upsert('a', sized(100_000));
    expect([directory.byId('a') === first, refusals.length]).toEqual([true, 1]);
    directory.upsert('a', sized(100_001));
    expect(refusals).toHaveLength(2);
  });
});

describe('a version whose owner can not be read', () => {
  it('claims the records of the owner that was known before', () => {
    const { directory, refusals } = createDirectory();
    directory.upsert('a', json(plain('a', 1)));
    for (const bytes of ['nonsense', 'more nonsense']) directory.upsert('a', Buffer.from(bytes));
    expect(directory.ofOwner('owner')).toMatchObject([{ id: 'a', ownerId: undefined, state: 'invalid' }]);
    expect(refusals).toHaveLength(2);
    expect(refusals[0]).toMatch(/^a of owner: /);
    directory.upsert('a', json({ ...plain('a', 2), _ownerId: 'another' }));
    expect([directory.ofOwner('owner'), directory.ofOwner('another')]).toMatchObject([[], [{ id: 'a' }]]);
    directory.remove('a');
    directory.upsert('a', Buffer.from('nonsense'));
    expect(directory.ofOwner('another')).toEqual([]);
  });
});

/** A key whose use throws, as a fault of our own code would. */
function brokenKey(): SealingKey {
  return {
    kid: 'right',
    get methods(): never {
      throw new RangeError('hush: Maximum call stack size exceeded');
    },
    sealing: undefined,
    opening: undefined,
  };
}

describe('an exception of our own code', () => {
  const failure = 'this service failed on it (RangeError)';
  const throwing = (port: number): boolean => {
    if (port === 444) throw new RangeError('hush');
    return true;
  };

  it('while a configuration is checked refuses that one, and quotes nothing', () => {
    const { directory, refusals } = createDirectory(throwing);
    directory.upsert('a', json({ ...plain('a', 1), url: 'https://a.example:444/', events: ['certificate_expired'] }));
    directory.upsert('b', json(plain('b', 1)));
    expect([directory.byId('a')?.state, directory.byId('b')?.state]).toEqual(['invalid', 'active']);
    expect(directory.byId('a')?.wants('certificate_completed')).toBe(false);
    expect(refusals).toEqual([`a of owner: can not be checked: ${failure}`]);
  });

  it('while a configuration is opened refuses that one, and quotes nothing', async () => {
    await using one = createOpening([brokenKey()]);
    const versions = [await sealed('a', 1), await sealed('a', 3)] as const;
    one.opening.upsert('a', versions[0]);
    one.opening.upsert('b', json(plain('b', 2)));
    await one.opening.settled();
    one.opening.replaceAll([
      { id: 'a', document: versions[1] },
      { id: 'b', document: json(plain('b', 4)) },
    ]);
    await one.opening.settled();
    one.opening.upsert('c', json(plain('c', 5)));
    await one.opening.settled();
    expect(one.held('a', 'b', 'c')).toEqual(['invalid', '4', '5']);
    const refusal = `a of owner: ${['auth', 'customHeaders'].map((part) => `${part}: can not be opened: ${failure}`).join(', ')}`;
    expect(one.refusals).toEqual([refusal, refusal]);
    expect(one.directory.ofOwner('owner')).toHaveLength(3);
  });
});

describe('an exception of the directory', () => {
  it('refuses the configuration that it met, with or without a keys file', async () => {
    const applied: string[] = [];
    const directory = {
      upsert: (id: string) => {
        if (id === 'a') throw new RangeError('hush');
        applied.push(id);
      },
      refuse: (id: string, problem: string) => void applied.push(`${id} ${problem}`),
      remove: () => undefined,
      replaceAll: () => undefined,
      ids: () => [],
      byId: () => undefined,
    };
    const options = { directory, framed: withoutRegistry, clock: systemClock };
    await using plainReader = new VersionReader(options);
    await using opening = new VersionReader({ ...options, sealing: { open: openBytes, requireSealed: false } });
    for (const reader of [plainReader, opening]) for (const id of ['a', 'b']) reader.upsert(id, json(plain(id, 1)));
    await opening.settled();
    const refused = 'a can not be applied: this service failed on it (RangeError)';
    expect(applied).toEqual([refused, 'b', refused, 'b']);
  });
});
