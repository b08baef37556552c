import { expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { openScan, type TopicScan } from '../../../src/kafka/reader/topic-scan.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { connectAdmin, quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);

async function aTopic(partitions = 2): Promise<string> {
  const topic = uniqueName('scan');
  await createTopics(kafka, [{ topic, partitions }]);
  return topic;
}

function open(client: Parameters<typeof openScan>[0]['kafka'], topic: string, signal = new AbortController().signal) {
  return openScan({ kafka: client, topic, clock: systemClock, signal });
}

function aClient() {
  return createKafka({ purpose: 'admin', brokers, clientId: 'test', log: () => undefined });
}

async function valuesOf(scan: TopicScan, from?: ReadonlyMap<number, number>): Promise<readonly string[]> {
  const values: string[] = [];
  for await (const { records } of scan.readAll(from)) values.push(...records.map(({ value }) => String(value)));
  return values;
}

it('reads the records that existed when it was opened, repeatedly, from any offset or time', async () => {
  const topic = await aTopic();
  const written = ['a', 'b', 'c', 'd'].map((value, at) => ({ value, partition: at % 2, timestamp: 1_000 * at }));
  await produce(kafka, topic, [
    ...written,
    { value: 'large', partition: 0, timestamp: 9_000, headers: { name: 'text' } },
  ]);
  using client = aClient();
  await using scan = await open(client, topic);
  await produce(kafka, topic, [{ value: 'later' }]);
  expect(await valuesOf(scan)).toEqual(['a', 'c', 'large', 'b', 'd']);
  expect(await valuesOf(scan, new Map([[0, 1]]))).toEqual(['c', 'large', 'b', 'd']);
  const since = await scan.offsetsForTime(2_500);
  expect(since).toEqual(
    new Map([
      [0, 2],
      [1, 1],
    ]),
  );
  expect([scan.offsets(), scan.offsets(since)]).toEqual([5, 2]);
  expect(await scan.offsetsForTime(8_000_000_000_000)).toEqual(
    new Map([
      [0, 4],
      [1, 2],
    ]),
  );
  const [chunk] = await Array.fromAsync(scan.read(0, 2));
  expect(chunk?.records).toMatchObject([
    { topic, offset: 2, timestamp: 9_000, headers: [['name', Buffer.from('text')]] },
  ]);
});

it('continues after records that retention deleted while it read', async () => {
  const topic = await aTopic(1);
  for (const value of ['a', 'b', 'c']) await produce(kafka, topic, [{ value: Buffer.alloc(900_000, value) }]);
  using client = aClient();
  await using scan = await open(client, topic);
  await using admin = await connectAdmin(kafka);
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
  expect((await valuesOf(scan)).map((value) => value[0])).toEqual(['c']);
});

it('rejects for a missing topic, and after its signal is aborted', async () => {
  using client = aClient();
  await expect(open(client, uniqueName('missing'))).rejects.toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
  const topic = await aTopic(1);
  await produce(kafka, topic, [{ value: 'a' }]);
  await using scan = await open(client, topic, AbortSignal.abort());
  await expect(valuesOf(scan)).rejects.toThrow('aborted');
});
