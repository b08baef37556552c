import { CompressionTypes, type Kafka } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createKafka } from '../../src/kafka/client/kafka-client.ts';
import { openTopicLog } from '../../src/kafka/reader/topic-log.ts';
import { connectAdmin, quietClient } from '../support/kafka/client.ts';
import { commitOffset, committedOffsets } from '../support/kafka/commits.ts';
import { startMemoryKafka } from '../support/kafka/memory/start-memory-kafka.ts';
import { produce, readTopic } from '../support/kafka/records.ts';
import { createTopics } from '../support/kafka/topics.ts';
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

const topic = 'topic';

/** Starts the memory broker with one topic, and a client like that of the service. */
async function openTopic(settings: Readonly<Record<string, string>> = {}) {
  const stack = new AsyncDisposableStack();
  const memory = stack.use(await startMemoryKafka());
  const kafka = stack.use(
    createKafka({ purpose: 'reading', brokers: memory.brokers, clientId: 'test', log: () => undefined }),
  );
  const helper = quietClient(memory.brokers);
  await createTopics(helper, [{ topic, settings }]);
  return { memory, kafka, helper, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('the protocol of the memory broker', () => {
  it.each(['None', 'GZIP', 'Snappy', 'LZ4', 'ZSTD'] as const)('keeps a batch compressed with %s', async (name) => {
    await using opened = await openTopic();
    const values = Array.from({ length: 50 }, (_, index) => `value ${index} `.repeat(20));
    const places = await produce(
      opened.kafka,
      topic,
      values.map((value) => ({ value })),
      CompressionTypes[name],
    );
    expect(places).toEqual(values.map((_, offset) => ({ partition: 0, offset })));
    const read = await readTopic(opened.kafka, topic);
    expect(read.map(({ value }) => value?.toString())).toEqual(values);
    expect(opened.memory.broker.log({ topic, partition: 0 }).records.map(({ value }) => value?.toString())).toEqual(
      values,
    );
  });

  it('keeps headers in their order, with those that have one name or no value', async () => {
    await using opened = await openTopic();
    const headers = [
      ['b', Buffer.from('1')],
      ['a', Buffer.from('2')],
      ['b', Buffer.from('3')],
      ['10', null],
    ] as const;
    await produce(opened.kafka, topic, [{ value: 'x', headers }]);
    const [record] = await readTopic(opened.kafka, topic);
    expect(record?.headerList).toEqual(headers);
  });

  it('answers a fetch with no more bytes than the client takes, and with one batch at least', async () => {
    await using opened = await openTopic();
    for (const value of ['a', 'b', 'c']) await produce(opened.kafka, topic, [{ value: value.repeat(1000) }]);
    const offsetsRead = async (maxBytes: number): Promise<readonly string[] | undefined> => {
      await using log = openTopicLog(opened.kafka, topic, { maxPartitionBytes: maxBytes });
      await log.refresh();
      const [partition] = await log.fetch(1, new Map([[0, 0]]));
      return partition?.records.map(({ offset }) => offset);
    };
    expect(await offsetsRead(100)).toEqual(['0']);
    expect(await offsetsRead(2500)).toEqual(['0', '1']);
  });

  it('finds offsets by time, and deletes records from the start of a partition', async () => {
    await using opened = await openTopic();
    await produce(
      opened.kafka,
      topic,
      [1000, 2000, 3000].map((timestamp) => ({ value: 'x', timestamp })),
    );
    await using admin = await connectAdmin(opened.kafka);
    expect(await admin.fetchTopicOffsetsByTimestamp(topic, 1500)).toEqual([{ partition: 0, offset: '1' }]);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    expect(await admin.fetchTopicOffsets(topic)).toEqual([{ partition: 0, offset: '3', low: '2', high: '3' }]);
    expect((await readTopic(opened.kafka, topic)).map(({ offset }) => offset)).toEqual([2]);
  });

  it('gives a recreated topic another id, and drops the commits in the old one', async () => {
    await using opened = await openTopic();
    await produce(opened.kafka, topic, [{ value: 'x' }]);
    await commitOffset(opened.helper, { group: 'group', topic, partition: 0, offset: 1, metadata: 'one' });
    const before = await idOf(opened.kafka);
    expect(before).toMatch(/^[0-9a-f]{32}$/v);
    await using admin = await connectAdmin(opened.helper);
    await admin.deleteTopics({ topics: [topic] });
    await createTopics(opened.helper, [{ topic }]);
    expect(await idOf(opened.kafka)).not.toBe(before);
    expect(await committedOffsets(opened.helper, { group: 'group', topic })).toEqual([]);
  });

  it('keeps the settings of topics, and refuses those that Kafka does not have', async () => {
    await using opened = await openTopic({ 'cleanup.policy': 'compact' });
    await using admin = await connectAdmin(opened.helper);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: ['cleanup.policy', 'max.message.bytes'] }],
    });
    expect(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue])).toEqual([
      ['cleanup.policy', 'compact'],
      ['max.message.bytes', '1048588'],
    ]);
    await expect(createTopics(opened.helper, [{ topic: 'other', settings: { 'no.such': '1' } }])).rejects.toThrow(
      'Topic creation errors',
    );
    await expect(produce(opened.helper, topic, [{ value: 'without a key' }])).rejects.toMatchObject({
      type: 'INVALID_RECORD',
    });
  });

  it('refuses transactions by name', async () => {
    await using opened = await openTopic();
    const producer = opened.kafka.producer({ transactionalId: 'one', idempotent: true });
    await expect(producer.connect()).rejects.toMatchObject({ apiName: 'InitProducerId' });
    await producer.disconnect();
  });

  it('lists the groups that have members or commits, and deletes those without members', async () => {
    await using opened = await openTopic();
    await produce(opened.kafka, topic, [{ value: 'x' }]);
    await committedOffsets(opened.helper, { group: 'never used', topic });
    await commitOffset(opened.helper, { group: 'group', topic, partition: 0, offset: 1, metadata: '' });
    await using admin = await connectAdmin(opened.helper);
    expect((await admin.listGroups()).groups.map(({ groupId }) => groupId)).toEqual(['group']);
    await admin.deleteGroups(['group']);
    expect((await admin.listGroups()).groups).toEqual([]);
  });
});

async function idOf(kafka: Kafka): Promise<string | undefined> {
  await using log = openTopicLog(kafka, topic);
  await log.refresh();
  return log.id();
}
