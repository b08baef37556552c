import type { Kafka as Kafkajs } from 'kafkajs';
import type { Kafka } from '../../src/kafka/client/kafka.ts';
import { createKafka } from '../../src/kafka/kafkajs/create-kafka.ts';
import { connectAdmin, quietClient, repairedClient } from '../support/kafka/client.ts';
import { committedOffsets } from '../support/kafka/commits.ts';
import { dropMember } from '../support/kafka/members.ts';
import { createTopics, uniqueName } from '../support/kafka/topics.ts';
import type { Cluster } from './cluster.ts';

/** Opens a real cluster, with the client of the service. */
export async function openKafkaCluster(brokers: readonly string[]): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  const helper = quietClient(brokers);
  const client = (): Kafka =>
    stack.use(createKafka({ purpose: 'reading', brokers, clientId: 'contract', log: () => undefined }));
  return {
    client,
    createTopic: async ({ partitions = 1, maxRecordBytes } = {}) => {
      const topic = uniqueName('contract');
      const settings = maxRecordBytes === undefined ? {} : { 'max.message.bytes': maxRecordBytes };
      await createTopics(helper, [{ topic, partitions, settings }]);
      return topic;
    },
    uniqueGroup: () => uniqueName('contract-group'),
    openLog: (topic) => client().openLog(topic),
    appendUnreadable: (topic) => abortTransaction(helper, topic),
    deleteRecords: async (topic, before) => {
      await using admin = await connectAdmin(helper);
      // The client knows only the leaders of topics that it has requested before.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(before) }] });
    },
    committed: async (group, topic) => {
      const [commit] = await committedOffsets(helper, { group, topic });
      return commit && { offset: commit.offset, metadata: commit.metadata };
    },
    dropMember: (groupId, memberId) => dropMember(repairedClient(brokers), groupId, memberId),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Aborts a transaction. Its record and its end marker stay in the log, but readers of committed records skip them. */
async function abortTransaction(kafka: Kafkajs, topic: string): Promise<number> {
  const producer = kafka.producer({ transactionalId: uniqueName('aborted'), maxInFlightRequests: 1, idempotent: true });
  await producer.connect();
  try {
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: 'never seen', partition: 0 }] });
    await transaction.abort();
  } finally {
    await producer.disconnect();
  }
  return 2;
}
