import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { writeKeyed } from '../../../src/kafka/producer/keyed-writer.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

describe('records written by their keys', () => {
  it('are written in order, each to its partition, and are reported once they are', async () => {
    const topic = uniqueName('keyed');
    await createTopics(kafka, [{ topic, partitions: 2, settings: { 'cleanup.policy': 'compact' } }]);
    using client = createKafka({ purpose: 'writing', brokers, clientId: 'test', log: () => undefined });
    const records = Array.from({ length: 1_200 }, (_, index) => ({
      id: `id-${index}`,
      value: index % 100 === 7 ? null : Buffer.from(String(index)),
      partition: index % 2,
    }));
    const written: string[] = [];
    await writeKeyed({ kafka: client, topic, headers: [['by', 'ann']] }, records, (ids) => written.push(...ids));
    const found = await readTopic(kafka, topic);
    const inOrder = [0, 1].flatMap((partition) => records.filter((record) => record.partition === partition));
    expect(found.map(({ key, value, partition }) => ({ id: String(key), value, partition }))).toEqual(inOrder);
    expect(new Set(found.map(({ headers }) => headers['by']))).toEqual(new Set(['ann']));
    expect(written).toEqual(inOrder.map(({ id }) => id));
  });
});
