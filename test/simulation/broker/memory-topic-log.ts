import type { TopicLog } from '../../../src/kafka/reader/topic-log.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { BrokerError } from './errors.ts';
import type { Wire } from './broker-connection.ts';

const maxWaitMs = 1000;
const recordsPerFetch = 3;

/** A topic of the memory broker, read without a group. */
export function createMemoryTopicLog(broker: MemoryBroker, wire: Wire, topic: string): TopicLog {
  let leaders: ReadonlyMap<number, number> = new Map();
  const offsets = async (partitions: readonly number[], where: 'start' | 'end'): Promise<ReadonlyMap<number, number>> =>
    wire.request(
      { kind: 'offsets' },
      () => new Map(partitions.map((partition) => [partition, broker.log({ topic, partition })[where]])),
    );
  return {
    async refresh() {
      const found = await wire.request({ kind: 'metadata' }, () => broker.partitions(topic).length);
      leaders = new Map(Array.from({ length: found }, (_, partition) => [partition, 0]));
    },
    id: () => undefined,
    leaders: () => leaders,
    starts: (partitions) => offsets(partitions, 'start'),
    ends: (partitions) => offsets(partitions, 'end'),
    async fetch(_leader, positions) {
      const asked = [...positions].map(([partition, from]) => ({ topic, partition, from }));
      const fetched = await wire.request({ kind: 'fetch', topics: [topic] }, () =>
        broker.fetch(asked, { minBytes: 1, maxWaitMs, limit: recordsPerFetch }),
      );
      return fetched.map(({ partition, from, found, end }) => {
        if (found === undefined) throw new BrokerError('OFFSET_OUT_OF_RANGE');
        return { partition, from, next: found.next, end, records: found.records };
      });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
