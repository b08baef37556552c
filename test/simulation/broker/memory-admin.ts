import type { Admin } from '../../../src/kafka/client/kafka.ts';
import type { MemoryBroker } from './memory-broker.ts';
import type { BrokerConnection } from './broker-connection.ts';

/** An admin client with the methods that a running service uses: offsets. */
export function createMemoryAdmin(broker: MemoryBroker, connection: BrokerConnection): Admin {
  const admin: Pick<Admin, 'connect' | 'disconnect' | 'fetchOffsets' | 'fetchTopicOffsets'> = {
    connect: () => connection.request({ kind: 'metadata' }, () => undefined),
    disconnect: async () => undefined,
    fetchOffsets: ({ groupId, topics }) =>
      connection.request({ kind: 'offsets' }, () =>
        topics.map((topic) => ({
          topic,
          partitions: broker.partitions(topic).map(({ partition }) => {
            const { offset = -1, metadata = '' } = broker.group(groupId).committed(topic, partition) ?? {};
            return { partition, offset: String(offset), metadata };
          }),
        })),
      ),
    fetchTopicOffsets: (topic) =>
      connection.request({ kind: 'offsets' }, () =>
        broker.partitions(topic).map(({ partition, start, stableEnd }) => ({
          partition,
          offset: String(stableEnd),
          low: String(start),
          high: String(stableEnd),
        })),
      ),
  };
  return admin as Admin;
}
