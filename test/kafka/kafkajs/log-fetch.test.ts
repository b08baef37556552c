import { beforeEach, describe, expect, it } from 'vitest';
import type { AskedPartition, FetchRequest, PartitionData } from '../../../src/kafka/kafkajs/internals.ts';
import { fetchFromLog } from '../../../src/kafka/kafkajs/topic-log.ts';
import { aRecord } from './fetch/fetching-member.ts';

interface Log {
  /** Offsets that have a record. */
  readonly records: readonly number[];
  readonly end: number;
}

/** A broker whose answer has no room for records of a second partition. A request in order of its partitions. */
class FullBroker {
  readonly logs = new Map<number, Log>();
  /** The partitions of each request. */
  readonly requests: (readonly number[])[] = [];
  /** Number of the next answers that have no records, as when tiered storage is slow. */
  slow = 0;

  async fetchRecords({ partitions: asked }: FetchRequest): Promise<readonly PartitionData[]> {
    this.requests.push(asked.map(({ partition }) => partition));
    this.slow -= 1;
    let isFull = this.slow >= 0;
    return asked.map((one) => {
      const { records = [], end = 0 } = this.logs.get(one.partition) ?? {};
      const offsets = isFull ? [] : records.filter((offset) => offset >= one.fetchOffset);
      isFull ||= offsets.length > 0;
      return dataOf(one, offsets, end);
    });
  }
}

function dataOf(asked: AskedPartition, offsets: readonly number[], end: number): PartitionData {
  const messages = offsets.map((offset) => aRecord(offset));
  const ends = { highWatermark: end, lastStableOffset: end };
  return {
    asked,
    ...ends,
    abortedTransactions: [],
    preferredReadReplica: -1,
    bytes: Buffer.alloc(0),
    messages,
    unreadable: undefined,
  };
}

let broker: FullBroker;
beforeEach(() => {
  broker = new FullBroker();
});

/** Fetches from these positions, and returns the next ones. */
async function next(positions: ReadonlyMap<number, number>, waitMs?: number): Promise<ReadonlyMap<number, number>> {
  const fetched = await fetchFromLog(broker, 'topic', positions, waitMs === undefined ? {} : { waitMs });
  return new Map([...positions, ...fetched.map((found) => [found.partition, found.next] as const)]);
}

describe('the position after a fetch', () => {
  it.each([
    { when: 'follows the last record', records: [5, 7], from: 5, expected: 8 },
    { when: 'skips what was removed before a record', records: [9], from: 5, expected: 10 },
    { when: 'stays at the end', records: [7], from: 10, expected: 10 },
    { when: 'never decreases', records: [], from: 12, expected: 12 },
  ])('$when', async ({ records, from, expected }) => {
    broker.logs.set(0, { records, end: 10 });
    expect(await next(new Map([[0, from]]))).toEqual(new Map([[0, expected]]));
    expect(broker.requests).toHaveLength(1);
  });

  it('skips no record of a broker that answers without records, however often and however long the waits are', async () => {
    broker.logs.set(0, { records: [5, 6], end: 7 });
    broker.slow = 500;
    let positions: ReadonlyMap<number, number> = new Map([[0, 5]]);
    for (let answers = 0; answers < 500; answers += 1) positions = await next(positions, 1_000);
    expect(positions).toEqual(new Map([[0, 5]]));
    const [fetched] = await fetchFromLog(broker, 'topic', positions);
    expect(fetched?.records.map(({ offset }) => offset)).toEqual(['5', '6']);
  });
});
