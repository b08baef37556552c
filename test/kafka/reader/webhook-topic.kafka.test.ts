import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { startWebhookTopic, type WebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { fetchTombstonesKeptMs } from '../../../src/kafka/topics/topic-admin.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { needsKafka } from '../../support/kafka/needs-kafka.ts';
import { connectAdmin, connectProducer, quietClient } from '../../support/kafka/client.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { startTransactions } from '../../support/kafka/transactions.ts';
import { MapTable } from '../support/map-table.ts';
import { TopicEvents } from '../support/topic-events.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

const newClient = () => createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });

/** Starts reading a topic into a table. */
function follow(topic: string) {
  const client = newClient();
  const table = new MapTable();
  const events = new TopicEvents();
  const webhooks: WebhookTopic = startWebhookTopic({ kafka: client, topic, table, events, clock: systemClock });
  let isComplete = false;
  void webhooks
    .caughtUp()
    .then(() => (isComplete = true))
    .catch(() => undefined);
  return {
    webhooks,
    table,
    events,
    isComplete: () => isComplete,
    async [Symbol.asyncDispose]() {
      await webhooks[Symbol.asyncDispose]();
      client[Symbol.dispose]();
    },
  };
}

async function newTopic(partitions = 1, settings: Readonly<Record<string, string | number>> = {}): Promise<string> {
  const topic = uniqueName('webhooks');
  await createTopics(kafka, [{ topic, partitions, settings: { 'cleanup.policy': 'compact', ...settings } }]);
  return topic;
}

const large = (key: string, kilobytes: number) => ({ key, value: Buffer.alloc(kilobytes * 1000, key) });

describe('the webhook configurations’ topic', () => {
  it('is complete at once when it is empty', async () => {
    await using following = follow(await newTopic(3));
    await following.webhooks.caughtUp();
    expect(following.table.entries()).toEqual({});
  });

  it('is complete when all its partitions have been read, empty ones too', async () => {
    const topic = await newTopic(4);
    await produce(kafka, topic, [
      { key: 'a', value: '1', partition: 1 },
      { key: 'b', value: '1', partition: 3 },
      { key: 'a', value: '2', partition: 1 },
      { key: 'b', value: null, partition: 3 },
    ]);
    await using following = follow(topic);
    await following.webhooks.caughtUp();
    expect(following.table.entries()).toEqual({ a: '2' });
    expect(following.webhooks.status().lagRecords).toBe(0);
  });

  it('says how long it keeps tombstones', async () => {
    expect(await fetchTombstonesKeptMs(kafka, await newTopic(1, { 'delete.retention.ms': 100 }))).toBe(100);
  });

  it('is complete behind an aborted transaction, without its records', needsKafka(), async () => {
    const topic = await newTopic();
    const producer = kafka.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const committed = await producer.transaction();
    await committed.send({ topic, messages: [{ key: 'a', value: '1' }] });
    await committed.commit();
    const aborted = await producer.transaction();
    await aborted.send({ topic, messages: [{ key: 'a', value: '2' }] });
    await aborted.abort();
    await producer.disconnect();
    await using following = follow(topic);
    await following.webhooks.caughtUp();
    expect(following.table.entries()).toEqual({ a: '1' });
    await following.webhooks.caughtUp();
  });

  it('is complete where compaction removed the last records of a batch', needsKafka(), async () => {
    const topic = await newTopic(1, {
      'segment.ms': 1000,
      'min.cleanable.dirty.ratio': 0.01,
      'max.compaction.lag.ms': 1000,
      'delete.retention.ms': 100,
    });
    // A response of 1 MiB holds only the first batch whole. The last two records of that batch are replaced later.
    await produce(kafka, topic, [large('kept', 700), large('again', 100), large('again too', 100)]);
    await eventually(
      'the log is compacted',
      async () => {
        // Kafka compacts only old segments, and only a write begins a new segment.
        await produce(kafka, topic, [large('again', 300), large('again too', 300)]);
        return (await readTopic(kafka, topic)).every(({ offset }) => offset === 0 || offset > 2);
      },
      { everyMs: 1_000 },
    );
    await using following = follow(topic);
    await following.webhooks.caughtUp();
    expect(Object.entries(following.table.entries()).map(([key, value]) => [key, value.length])).toEqual([
      ['kept', 700_000],
      ['again', 300_000],
      ['again too', 300_000],
    ]);
  });

  it('is complete once a transaction ends before which compaction removed the last records', needsKafka(), async () => {
    const compacting = { 'segment.ms': 1000, 'min.cleanable.dirty.ratio': 0.01, 'max.compaction.lag.ms': 1000 };
    const topic = await newTopic(2, { 'cleanup.policy': 'delete', ...compacting });
    // Records of the past, so that the next write begins a new segment.
    const timestamp = Date.now() - 60_000;
    await produce(kafka, topic, [{ key: 'kept', value: '1', partition: 1, timestamp }]);
    await produce(kafka, topic, [{ key: null, value: 'without a key', partition: 1, timestamp }]);
    // Compaction removes records without a key, wherever they are. Brokers refuse new ones from now on.
    await using admin = await connectAdmin(kafka);
    const configEntries = Object.entries({ ...compacting, 'cleanup.policy': 'compact' });
    const entries = configEntries.map(([name, value]) => ({ name, value: String(value) }));
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries: entries }] });
    // The topic ends for readers where a transaction is open. Its records begin the segments that are not compacted.
    await using transactions = await startTransactions(kafka, topic);
    using client = newClient();
    await using log = client.openLog(topic);
    await log.refresh();
    await eventually(
      'the log is compacted',
      async () => {
        await transactions.write('open', [{ key: 'open', value: '1', partition: 1 }]);
        const [fetched] = await log.fetch(log.leaders().get(1) ?? -1, new Map([[1, 1]]));
        return fetched?.records.length === 0;
      },
      { everyMs: 1_000 },
    );
    await using following = follow(topic);
    await produce(kafka, topic, [{ key: 'behind', value: '1', partition: 1 }]);
    const problem = (): string => following.webhooks.status().problem ?? '';
    await eventually('the transaction is named', async () => /^reads from .* partition 1 .* open/v.test(problem()));
    expect(following.isComplete()).toBe(false);
    await transactions.end('open', 'abort');
    await following.webhooks.caughtUp();
    expect(following.table.entries()).toEqual({ kept: '1', behind: '1' });
  });

  it('has caught up with every write that was acknowledged before the call', async () => {
    const topic = await newTopic(3);
    await using following = follow(topic);
    await using producer = await connectProducer(kafka);
    await following.webhooks.caughtUp();
    for (let turn = 0; turn < 200; turn += 1) {
      const key = `webhook ${turn % 7}`;
      await producer.send({ topic, acks: -1, messages: [{ key, value: String(turn), partition: turn % 3 }] });
      const caughtUp = Array.from({ length: 5 }, () => following.webhooks.caughtUp());
      await Promise.all(caughtUp);
      expect(following.table.get(key)).toBe(String(turn));
    }
  });
});

describe('a webhook configurations’ topic that is created late or deleted', () => {
  it('is read again, and only then, after it was deleted and recreated', async () => {
    const topic = await newTopic(2);
    await produce(kafka, topic, [
      { key: 'old', value: '1' },
      { key: 'kept', value: '1' },
    ]);
    await using following = follow(topic);
    await following.webhooks.caughtUp();
    await using admin = await connectAdmin(kafka);
    await admin.deleteTopics({ topics: [topic] });
    await following.events.next(`missing: ${topic}`);
    expect(following.table.entries()).toEqual({ old: '1', kept: '1' });
    const caughtUp = following.webhooks.caughtUp();
    await eventually('the name is free again', () =>
      admin.createTopics({ waitForLeaders: false, topics: [{ topic }] }),
    );
    await following.events.next('missing: ');
    await following.events.next('held: 0 of 2');
    expect(following.table.entries()).toEqual({ old: '1', kept: '1' });
    await produce(kafka, topic, [
      { key: 'kept', value: '2' },
      { key: 'new', value: '1' },
    ]);
    await eventually('what is there counts', async () => Promise.resolve(following.table.get('new') === '1'));
    expect([following.table.entries(), following.webhooks.isComplete()]).toEqual([
      { old: '1', kept: '2', new: '1' },
      false,
    ]);
    await produce(kafka, topic, [{ key: 'old', value: null }]);
    await caughtUp;
    expect(following.table.entries()).toEqual({ kept: '2', new: '1' });
  });
});
