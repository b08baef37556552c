import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NewestVersions, type VersionRecord } from '../../../src/kafka/reader/newest-versions.ts';

interface Written extends VersionRecord {
  readonly key: string;
  readonly value: number;
}

const keys = ['a', 'b', 'c'];

/** Writes to a topic that grows: each write may go to any partition that exists by then. Some clocks are wrong. */
const histories = fc
  .array(
    fc.record({
      key: fc.constantFrom(...keys),
      isRemoval: fc.boolean(),
      timestamp: fc.integer({ min: -1, max: 6 }),
      place: fc.nat(),
      grows: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    }),
    { maxLength: 30 },
  )
  .map((writes) => {
    let partitions = 1;
    const records = writes.map(({ key, isRemoval, timestamp, place, grows }, value): Written => {
      if (grows) partitions += 1;
      return { key, isRemoval, timestamp, value, partition: place % partitions };
    });
    return { partitions, records };
  });

/** An order in which the partitions can be read: each partition's own order is kept. */
function readIn(records: readonly Written[], order: readonly number[]): readonly Written[] {
  const queues = [...Map.groupBy(records, ({ partition }) => partition).values()].map((own) => own.slice());
  const read: Written[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const waiting = queues.filter((queue) => queue.length > 0);
    const next = waiting[(order[turn % order.length] ?? 0) % waiting.length]?.shift();
    if (next !== undefined) read.push(next);
  }
  return read;
}

/** The rule in its plainest form: of each partition the last record, as new as the newest before it; of these the newest. */
function expected(records: readonly Written[]): Readonly<Record<string, number>> {
  const newest = keys.flatMap((key) => {
    const own = Map.groupBy(
      records.filter((record) => record.key === key),
      ({ partition }) => partition,
    );
    const lasts = [...own.values()].flatMap((inPartition) => {
      const last = inPartition.at(-1);
      return last === undefined ? [] : [{ last, time: Math.max(...inPartition.map(({ timestamp }) => timestamp)) }];
    });
    const [first] = lasts.toSorted((one, other) => other.time - one.time || other.last.partition - one.last.partition);
    return first === undefined || first.last.isRemoval ? [] : [[key, first.last.value] as const];
  });
  return Object.fromEntries(newest);
}

function take(versions: NewestVersions, records: readonly Written[]): Readonly<Record<string, number>> {
  const values = new Map<string, number>();
  for (const record of records) {
    if (!versions.take(record.key, record)) continue;
    if (record.isRemoval) values.delete(record.key);
    else values.set(record.key, record.value);
  }
  return Object.fromEntries(values);
}

describe('the records that count', () => {
  it('are the newest of all partitions, in whatever order these are read', () => {
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        ({ partitions, records }, order, isComplete) => {
          const versions = new NewestVersions(partitions);
          if (isComplete) versions.complete();
          expect(take(versions, readIn(records, order))).toEqual(expected(records));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('name the keys that stand in two partitions', () => {
    const versions = new NewestVersions(3);
    const record = { timestamp: 1, isRemoval: false };
    for (const [key, partition] of [
      ['a', 0],
      ['b', 1],
      ['a', 2],
      ['a', 1],
      ['b', 1],
    ] as const) {
      versions.take(key, { ...record, partition });
    }
    expect(versions.twice).toEqual({ keys: 1, named: ['a'] });
  });

  it('are bounded where keys are removed, and only once the topic was read', () => {
    const versions = new NewestVersions(2);
    for (let key = 0; key < 100_001; key += 1) {
      versions.take(String(key), { partition: 1, timestamp: 2, isRemoval: true });
    }
    const older = { partition: 0, timestamp: 1, isRemoval: false };
    expect(versions.take('0', older)).toBe(false);
    versions.complete();
    expect(versions.take('1', older)).toBe(false);
    expect(versions.take('0', older)).toBe(true);
  });
});
