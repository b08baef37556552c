import { MemoryBroker } from '../simulation/broker/memory-broker.ts';
import { createMemoryKafka } from '../simulation/broker/memory-kafka.ts';
import { createMemoryTopicLog } from '../simulation/broker/memory-topic-log.ts';
import { perfectNetwork, BrokerConnection } from '../simulation/broker/broker-connection.ts';
import { ProcessClock } from '../simulation/time/process-clock.ts';
import { SimulatedClock } from '../simulation/time/simulated-clock.ts';
import type { Cluster } from './cluster.ts';

/** Opens the cluster of the simulations. Its time runs fast while it is open. */
export async function openMemoryCluster(): Promise<Cluster> {
  const clock = new SimulatedClock();
  const broker = new MemoryBroker(clock);
  const connection = (): BrokerConnection => new BrokerConnection(clock, new ProcessClock(clock), perfectNetwork);
  let names = 0;
  const closing = new AbortController();
  const running = (async () => {
    while (!closing.signal.aborted) await clock.advance(10);
  })();
  const uniqueName = (prefix: string): string => {
    names += 1;
    return `${prefix}-${names}`;
  };
  return {
    client: () => createMemoryKafka(broker, connection()).kafka,
    createTopic: async ({ partitions = 1, maxRecordBytes = Number.POSITIVE_INFINITY } = {}) => {
      const topic = uniqueName('topic');
      broker.createTopic(topic, partitions, maxRecordBytes);
      return topic;
    },
    uniqueGroup: () => uniqueName('group'),
    openLog: (topic) => createMemoryTopicLog(broker, connection(), topic),
    appendUnreadable: async (topic) => {
      broker.appendControl({ topic, partition: 0 });
      broker.appendControl({ topic, partition: 0 });
      return 2;
    },
    deleteRecords: async (topic, before) => broker.log({ topic, partition: 0 }).deleteBefore(before),
    committed: async (groupId, topic) => {
      const committed = broker.group(groupId).committed(topic, 0);
      return committed && { offset: committed.offset, metadata: committed.metadata };
    },
    dropMember: async (groupId, memberId) => broker.group(groupId).leave(memberId),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await running;
    },
  };
}
