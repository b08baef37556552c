import { decodeMemory, encodeMemory, type TopicMemory } from '../../../src/kafka/reader/topic-memory.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { MemoryBroker } from './memory-broker.ts';

/** Creates the memory of a topic, in a commit of a group without members. */
export function createMemoryCommitMemory(
  broker: MemoryBroker,
  connection: BrokerConnection,
  groupId: string,
): TopicMemory {
  return {
    read: () =>
      connection.request({ kind: 'offsets' }, () => decodeMemory(broker.commitsWithoutMember.get(groupId) ?? '')),
    write: (remembered) =>
      connection.request({ kind: 'commit', groupId }, () => {
        broker.commitsWithoutMember.set(groupId, encodeMemory(remembered));
      }),
  };
}
