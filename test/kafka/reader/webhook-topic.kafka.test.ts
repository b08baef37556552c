import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/client/kafka-client.ts';
import { startWebhookTopic } from '../../../src/kafka/reader/webhook-topic.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { needsKafka } from '../../support/kafka/needs-kafka.ts';
import { connectProducer, quietClient } from '../../support/kafka/client.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { MapTable } from '../support/map-table.ts';
import { recordEvents } from '../../simulation/environment/recording.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

/** Starts reading a topic into a table. */
function follow(topic: string) {
  const client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
  const table = new MapTable();
  const events = recordEvents('', { add: () => undefined });
  const webhooks = startWebhookTopic({ kafka: client, topic, table, events, clock: systemClock });
  return {
    webhooks,
    table,
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
    await following.webhooks.complete;
    expect(Object.entries(following.table.entries()).map(([key, value]) => [key, value.length])).toEqual([
      ['kept', 700_000],
      ['again', 300_000],
      ['again too', 300_000],
    ]);
  });

  it('has caught up with every write that was acknowledged before the call', async () => {
    const topic = await newTopic(3);
    await using following = follow(topic);
    await using producer = await connectProducer(kafka);
    await following.webhooks.complete;
    for (let turn = 0; turn < 200; turn += 1) {
      const key = `webhook ${turn % 7}`;
      await producer.send({ topic, acks: -1, messages: [{ key, value: String(turn), partition: turn % 3 }] });
      const caughtUp = Array.from({ length: 5 }, () => following.webhooks.caughtUp());
      await Promise.all(caughtUp);
      expect(following.table.get(key)).toBe(String(turn));
    }
  });
});
