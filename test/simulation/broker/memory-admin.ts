import type { Admin } from 'kafkajs';
import type { MemoryBroker } from './memory-broker.ts';
import type { Wire } from './broker-connection.ts';

/** As much of an admin as a running service uses: what topics and offsets there are. */
export function createMemoryAdmin(broker: MemoryBroker, wire: Wire): Admin {
  const admin: Pick<Admin, 'connect' | 'disconnect' | 'listTopics' | 'fetchOffsets' | 'fetchTopicOffsets'> = {
    connect: () => wire.request({ kind: 'metadata' }, () => undefined),
    disconnect: async () => undefined,
    listTopics: () => wire.request({ kind: 'metadata' }, () => [...broker.topics()]),
    fetchOffsets: ({ groupId, topics = [] }) =>
      wire.request({ kind: 'offsets' }, () =>
        topics.map((topic) => ({
          topic,
          partitions: broker.partitions(topic).map(({ partition }) => {
            const { offset = -1, metadata = '' } = broker.group(groupId).committed(topic, partition) ?? {};
            return { partition, offset: String(offset), metadata };
          }),
        })),
      ),
    fetchTopicOffsets: (topic) =>
      wire.request({ kind: 'offsets' }, () =>
        broker.partitions(topic).map(({ partition, start, end }) => ({
          partition,
          offset: String(end),
          low: String(start),
          high: String(end),
        })),
      ),
  };
  return admin as Admin;
}
