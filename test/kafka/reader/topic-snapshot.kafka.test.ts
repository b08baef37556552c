import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { readSnapshot, type TopicSnapshot } from '../../../src/kafka/reader/topic-snapshot.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);
const { signal } = new AbortController();

async function newTopic(partitions: number): Promise<string> {
  const topic = uniqueName('snapshot');
  await createTopics(kafka, [{ topic, partitions, settings: { 'cleanup.policy': 'compact' } }]);
  return topic;
}

async function read(topic: string, stop = signal, onlyKey?: string): Promise<TopicSnapshot> {
  using client = createKafka({ purpose: 'admin', brokers, clientId: 'test', log: () => undefined });
  return await readSnapshot(client, topic, stop, onlyKey === undefined ? {} : { onlyKey });
}

function textsOf({ newest }: TopicSnapshot): Readonly<Record<string, readonly [string, number]>> {
  return Object.fromEntries([...newest].map(([id, { value, partition }]) => [id, [value.toString(), partition]]));
}

describe('a snapshot of a compacted topic', () => {
  it('has the newest version of each key of all partitions, its partition, and no removed key', async () => {
    const topic = await newTopic(3);
    await produce(kafka, topic, [
      { key: 'a', value: '1', partition: 0 },
      { key: 'b', value: '1', partition: 2 },
      { key: 'gone', value: '1', partition: 2 },
      { key: 'a', value: '2', partition: 0 },
      { key: 'gone', value: null, partition: 2 },
    ]);
    const snapshot = await read(topic);
    expect(snapshot.partitions).toBe(3);
    expect(textsOf(snapshot)).toEqual({ a: ['2', 0], b: ['1', 2] });
  });

  it('holds one key alone if one is asked for, also if it was moved or removed', async () => {
    const topic = await newTopic(2);
    await produce(kafka, topic, [
      { key: 'a', value: '1', partition: 0, timestamp: 1000 },
      { key: 'b', value: '1', partition: 0, timestamp: 1000 },
      { key: 'a', value: '2', partition: 1, timestamp: 2000 },
      { key: 'gone', value: '1', partition: 1, timestamp: 1000 },
      { key: 'gone', value: null, partition: 1, timestamp: 2000 },
    ]);
    const snapshots = await Promise.all(['a', 'gone', 'unknown'].map(async (key) => read(topic, signal, key)));
    expect(snapshots.map(textsOf)).toEqual([{ a: ['2', 1] }, {}, {}]);
  });

  it('holds more than one response of a broker', async () => {
    const topic = await newTopic(1);
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      await produce(kafka, topic, [{ key, value: Buffer.alloc(900_000, key) }]);
    }
    const { newest } = await read(topic);
    expect([...newest].map(([id, { value }]) => [id, value.length])).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => [key, 900_000]),
    );
  });
});
