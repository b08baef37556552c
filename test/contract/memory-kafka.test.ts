import { startMemoryKafka } from '../support/kafka/memory/start-memory-kafka.ts';
import { describeContract } from './broker-contract.ts';
import type { Cluster } from './cluster.ts';
import { openKafkaCluster } from './kafka-cluster.ts';

/** Opens the memory broker for the real client, over its connections. */
async function openServedMemory(): Promise<Cluster> {
  const kafka = await startMemoryKafka();
  const cluster = await openKafkaCluster(kafka.brokers);
  return {
    ...cluster,
    async appendUnreadable(topic) {
      kafka.broker.appendControl({ topic, partition: 0 });
      kafka.broker.appendControl({ topic, partition: 0 });
      return 2;
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await kafka[Symbol.asyncDispose]();
    },
  };
}

describeContract('the memory broker over its connections', openServedMemory);
