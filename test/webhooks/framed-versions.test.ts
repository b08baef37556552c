import { array, assert as assertProperty, asyncProperty, constantFrom, nat, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../support/builders.ts';
import { framed } from '../support/registry/framed.ts';
import { registryFailures } from '../../src/certificates/registry/answer.ts';
import { withoutRegistry } from '../../src/certificates/framing.ts';
import { VersionReader } from '../../src/webhooks/version-reader.ts';
import { aFailure, aFramed, away, createDecoding, found, unknown, type Answer } from './decoding.ts';
import { plain } from './opening.ts';

const waits = (id: string, schemaId: number, owner = 'undefined'): string =>
  `${id} of ${owner}: is framed with schema ${schemaId}, which the schema registry has not given yet`;

describe('a framed configuration', () => {
  it('is in the directory at once when the registry gives its schema', async () => {
    await using one = createDecoding(() => found);
    await one.apply(['a', aFramed('a', 1)], ['b', aFramed('b', 1)]);
    expect([one.held('a', 'b'), one.refusals, one.requested]).toEqual([['1', '1'], [], [1]]);
  });

  it('is refused while the registry has no such schema, and holds back no other one', async () => {
    await using one = createDecoding((schemaId) => (schemaId === 1 ? found : unknown));
    await one.apply(['a', aFramed('a', 2)], ['b', aFramed('b', 1)], ['c', json(plain('c', 1))]);
    expect(one.held('a', 'b', 'c')).toEqual(['invalid', '1', '1']);
    expect(one.refusals).toEqual([waits('a', 2)]);
  });

  it('claims the records of its last owner until it can be read', async () => {
    await using one = createDecoding(() => unknown);
    await one.apply(['a', json(plain('a', 1))]);
    await one.apply(['a', aFramed('a', 1, 2)]);
    expect(one.refusals).toEqual([waits('a', 1, 'owner')]);
    expect(one.directory.ofOwner('owner')).toMatchObject([{ id: 'a', state: 'invalid' }]);
  });

  it('is applied once the registry has its schema, without a new version', async () => {
    let answer: Answer = unknown;
    await using one = createDecoding(() => answer);
    await one.apply(['a', aFramed('a', 1)], ['b', aFramed('b', 1)]);
    await one.clock.advance(60_000);
    answer = found;
    await one.clock.advance(5 * 60_000);
    expect(one.held('a', 'b')).toEqual(['1', '1']);
    const requests = one.requested.length;
    await one.clock.advance(60 * 60_000);
    expect(one.requested).toHaveLength(requests);
  });

  it('is refused for good when its framing is broken, or when it is too large', async () => {
    await using one = createDecoding(() => found);
    await one.apply(
      ['a', Buffer.from([0, 0, 1])],
      ['b', framed(1, Buffer.from('{'))],
      ['c', framed(1, Buffer.alloc(70_000, ' '))],
    );
    expect(one.refusals).toEqual([
      'a of undefined: the value is too short to hold a schema id',
      expect.stringMatching(/^b of undefined: the value/),
      'c of undefined: must not exceed 64 KiB',
    ]);
  });
});

describe('a registry that is away', () => {
  it('delays reading by 5 s once, and then not at all', async () => {
    await using one = createDecoding(() => new Promise(() => undefined));
    let isPrepared = false;
    void one.decoding.prepare([aFramed('a', 1)])?.then(() => (isPrepared = true));
    await one.clock.advance(4_999);
    expect(isPrepared).toBe(false);
    await one.clock.advance(1);
    expect(isPrepared).toBe(true);
    one.decoding.upsert('a', aFramed('a', 1));
    expect(one.decoding.prepare([aFramed('b', 2)])).toBeUndefined();
  });

  it('delays no disposal', async () => {
    const one = createDecoding(() => new Promise(() => undefined));
    one.decoding.upsert('a', aFramed('a', 1));
    await one.clock.advance(1_000);
    expect(one.requested).toEqual([1]);
    await one[Symbol.asyncDispose]();
  });

  it('is asked again for a new configuration if it has not been needed since', async () => {
    let answer: Answer = away;
    await using one = createDecoding(() => answer);
    await one.apply(['a', aFramed('a', 1)]);
    one.decoding.remove('a');
    await one.clock.advance(60_000);
    answer = found;
    await one.apply(['b', aFramed('b', 2)]);
    expect(one.held('b')).toEqual(['1']);
  });

  it('is asked for many schemas in few requests at once', async () => {
    let answer: Answer = away;
    await using one = createDecoding(async () => Promise.resolve(answer));
    const ids = Array.from({ length: 1_000 }, (_, index) => index + 1);
    await one.apply(...ids.map((id) => [String(id), aFramed(String(id), id)] as const));
    await one.clock.advance(60_000);
    answer = found;
    await one.clock.advance(60_000);
    expect(one.directory.counts()).toMatchObject({ active: 1_000, invalid: 0 });
    expect(one.mostInFlight()).toBeLessThanOrEqual(8);
  });
});

describe('a framed configuration whose owner is not known', () => {
  const apply = async (one: ReturnType<typeof createDecoding>, id: string, schemaId: number): Promise<void> =>
    one.apply([id, aFramed(id, schemaId)]);

  it.each(registryFailures)('holds all plans while the registry is %s, and is applied then', async (failure) => {
    let answer = aFailure(failure);
    await using one = createDecoding(() => answer);
    await apply(one, 'a', 1);
    await one.clock.advance(60 * 60_000);
    expect(one.decoding.holding).toBe(1);
    answer = found;
    await one.clock.advance(15_000);
    expect([one.decoding.holding, one.held('a')]).toEqual([0, ['1']]);
  });

  it.each([
    ['unknown', unknown],
    ['failing', away],
  ])('holds them for one minute if only ids are %s, over all of them, and nobody later', async (_, answer) => {
    let [isAway, ofOwned]: [boolean, Answer] = [false, unknown];
    await using one = createDecoding((schemaId) => {
      if (isAway) return away;
      if (schemaId === 100) return ofOwned;
      return schemaId < 100 ? answer : unknown;
    });
    await apply(one, 'a', 1);
    await one.apply(['owned', json(plain('owned', 1))], ['owned', aFramed('owned', 100)]);
    await one.clock.advance(30_000);
    await apply(one, 'b', 2);
    // An answer for one that holds nobody does not give the others another minute.
    ofOwned = found;
    await one.clock.advance(29_000);
    expect([one.decoding.holding, one.held('owned')]).toEqual([2, ['1']]);
    await one.clock.advance(2_500);
    await apply(one, 'c', 3);
    expect(one.decoding.holding).toBe(0);
    await one.clock.advance(60 * 60_000);
    await apply(one, 'd', 4);
    expect(one.decoding.holding).toBe(1);
    await one.clock.advance(62_000);
    expect(one.decoding.holding).toBe(0);
    isAway = true;
    await one.clock.advance(60 * 60_000);
    expect([one.decoding.holding, one.refusals.length]).toEqual([0, 5]);
  });

  it('holds them while a replica of the registry lags behind, as often as one does', async () => {
    let answer: Answer = unknown;
    await using one = createDecoding(() => answer);
    for (let time = 1; time <= 10; time += 1) {
      answer = unknown;
      await apply(one, `${time}`, time);
      await one.clock.advance(30_000);
      expect(one.decoding.holding).toBe(1);
      answer = found;
      await one.clock.advance(20_000);
      expect([one.decoding.holding, one.held(`${time}`)]).toEqual([0, ['1']]);
    }
  });

  it('holds nobody once it is removed, while its last owner is known, or without a registry', async () => {
    await using one = createDecoding(() => away);
    await one.apply(['owned', json(plain('owned', 1))]);
    await one.apply(['owned', aFramed('owned', 1, 2)], ['removed', aFramed('removed', 1)]);
    expect(one.decoding.holding).toBe(1);
    one.decoding.remove('removed');
    expect(one.decoding.holding).toBe(0);
    await using without = new VersionReader({ ...one, framed: withoutRegistry });
    without.upsert('a', aFramed('a', 1));
    expect(without.holding).toBe(0);
  });
});

describe('schemas that never appear', () => {
  it('do not delay one that does, and are asked for less and less often', async () => {
    let isThere = false;
    await using one = createDecoding((schemaId) => (schemaId === 5_000 && isThere ? found : unknown));
    const ids = Array.from({ length: 2_000 }, (_, index) => index + 1);
    await one.apply(...ids.map((id) => [String(id), aFramed(String(id), id)] as const));
    await one.clock.advance(60 * 60_000);
    await one.apply(['late', aFramed('late', 5_000)]);
    isThere = true;
    const before = one.requested.length;
    await one.clock.advance(30_000);
    expect(one.held('late')).toEqual(['1']);
    // Each of the others is due once in five minutes.
    expect(one.requested.length - before).toBeLessThanOrEqual(2_001);
    expect(one.decoding.prepare([aFramed('new', 6_000)])).toBeInstanceOf(Promise);
  });

  it('are asked for soon when another configuration needs them', async () => {
    let answer: Answer = unknown;
    await using one = createDecoding(() => answer);
    await one.apply(['a', aFramed('a', 1)]);
    await one.clock.advance(60 * 60_000);
    one.decoding.upsert('b', aFramed('b', 1));
    answer = found;
    await one.clock.advance(2_000);
    expect(one.held('a', 'b')).toEqual(['1', '1']);
  });
});

/** One change, and what the directory must hold after it once all schemas are there. */
type Step = (one: ReturnType<typeof createDecoding>, change: Change) => void | Promise<void>;

interface Change {
  readonly id: string;
  readonly schemaId: number;
  readonly version: number;
  /** The schemas that the registry has. */
  readonly known: Set<number>;
  /** The expected version of each configuration. */
  readonly model: Map<string, string>;
}

const steps: Readonly<Record<string, Step>> = {
  framed: async (one, { id, schemaId, version, model }) => {
    await one.apply([id, aFramed(id, schemaId, version)]);
    model.set(id, String(version));
  },
  plain: async (one, { id, version, model }) => {
    await one.apply([id, json(plain(id, version))]);
    model.set(id, String(version));
  },
  remove: (one, { id, model }) => {
    one.decoding.remove(id);
    model.delete(id);
  },
  learn: (_one, { schemaId, known }) => void known.add(schemaId),
  wait: async ({ clock }) => clock.advance(2_000),
};

describe('any order of versions, tombstones and schemas', () => {
  it('ends with the newest version of each, once all schemas are there', async () => {
    const ids = ['0', '1', '2'];
    const change = tuple(constantFrom(...Object.keys(steps), 'framed'), nat(2), nat(2));
    await assertProperty(
      asyncProperty(array(change, { maxLength: 30 }), async (changes) => {
        const known = new Set<number>();
        const model = new Map<string, string>();
        await using one = createDecoding((schemaId) => (known.has(schemaId) ? found : unknown));
        for (const [version, [name, number, schemaId]] of changes.entries()) {
          await steps[name]?.(one, { id: String(number), schemaId, version, known, model });
        }
        for (const schemaId of [0, 1, 2]) known.add(schemaId);
        await one.clock.advance(10 * 60_000);
        expect(one.held(...ids)).toEqual(ids.map((id) => model.get(id)));
      }),
      { numRuns: 100 },
    );
  });
});
