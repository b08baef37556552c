import type { FullTopicLog } from '../../../src/kafka/client/topic-log.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { BrokerError } from './errors.ts';
import type { BrokerConnection } from './broker-connection.ts';

const maxWaitMs = 1000;
const recordsPerFetch = 3;

/** Creates a reader of one topic that belongs to no consumer group. */
export function createMemoryTopicLog(broker: MemoryBroker, connection: BrokerConnection, topic: string): FullTopicLog {
  let leaders: ReadonlyMap<number, number> = new Map();
  let id: string | undefined;
  const look = async (kind: 'metadata' | 'offsets'): Promise<ReadonlyMap<number, number>> => {
    const found = await connection.request({ kind }, () => ({
      id: broker.topicId(topic),
      ends: broker.partitions(topic).map(({ end }, partition) => [partition, end] as const),
    }));
    id = found.id;
    leaders = new Map(found.ends.map(([partition]) => [partition, 0]));
    return new Map(found.ends);
  };
  return {
    async refresh() {
      await look('metadata');
    },
    id: () => id,
    clusterId: () => undefined,
    leaders: () => leaders,
    starts: (partitions) =>
      connection.request(
        { kind: 'offsets' },
        () => new Map(partitions.map((partition) => [partition, broker.log({ topic, partition }).start])),
      ),
    ends: () => look('offsets'),
    offsetsForTime: (partitions, epochMs) =>
      connection.request(
        { kind: 'offsets' },
        () => new Map(partitions.map((partition) => [partition, broker.log({ topic, partition }).offsetAt(epochMs)])),
      ),
    async fetch(_leader, positions) {
      const requested = [...positions].map(([partition, from]) => ({ topic, partition, from }));
      const fetched = await connection.request({ kind: 'fetch', topics: [topic] }, () =>
        broker.fetch(requested, { minBytes: 1, maxWaitMs, maxRecordsPerPartition: recordsPerFetch }),
      );
      // Partitions come in any order. The last one first shows what is wrong where keys have moved to it.
      return fetched.toReversed().map(({ partition, from, found, end, stableEnd }) => {
        if (found === undefined) throw new BrokerError('OFFSET_OUT_OF_RANGE');
        const records = found.records.map((record) => ({
          ...record,
          offset: String(record.offset),
          timestamp: String(record.timestamp),
        }));
        return { partition, from, next: found.next, end, stableEnd, records };
      });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
