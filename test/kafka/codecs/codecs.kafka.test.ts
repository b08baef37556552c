import { describe, expect, inject, it } from 'vitest';
import { startMember } from '../../contract/member.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { compressions, TopicProducer, type Compression } from '../../../src/kafka/producer/topic-producer.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { runKafkaTool } from '../../support/kafka/cluster/kafka-tools.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { needs } from '../../support/programs/needs.ts';

const brokers = inject('kafka');

/** Returns distinct lines that fill several blocks in any format. Kafka's own programs read and write lines. */
function linesOf(compression: Compression): readonly string[] {
  return Array.from({ length: 600 }, (_, index) => `${compression} ${index} ${'certificate ç✓ '.repeat(20)}`);
}

const all = compressions.flatMap(linesOf);

async function newTopic(settings: Readonly<Record<string, number>> = {}): Promise<string> {
  const topic = uniqueName('compressed');
  await createTopics(quietClient(brokers), [{ topic, settings }]);
  return topic;
}

function newClient() {
  return createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
}

describe('one partition of records in every compression', needs('java', 'maven'), () => {
  it('is read as Kafka’s own producer has written it, by a group and without one', async () => {
    const topic = await newTopic();
    for (const compression of compressions) {
      const options = ['--bootstrap-server', brokers.join(), '--topic', topic, '--compression-codec', compression];
      const batching = ['--batch-size', '400000', '--command-property', 'linger.ms=100'];
      const input = linesOf(compression)
        .map((line) => `${line}\n`)
        .join('');
      await runKafkaTool('org.apache.kafka.tools.ConsoleProducer', [...options, ...batching], input);
    }
    using kafka = newClient();
    await using member = await startMember(kafka, { groupId: uniqueName('codecs'), topic });
    const records = await member.received(all.length);
    expect(records.map(({ value }) => value?.toString('utf8'))).toEqual(all);
    expect(await readLog(topic)).toEqual(all);
  });

  it('is read by Kafka’s own consumer as we have written it, byte for byte', async () => {
    // The topic refuses an uncompressed batch. A missing codec would silently write one.
    const topic = await newTopic({ 'max.message.bytes': 60_000 });
    await expect(write(topic, 'none')).rejects.toThrow('larger than the max');
    const compressed = compressions.filter((compression) => compression !== 'none');
    for (const compression of compressed) await write(topic, compression);
    const lines = compressed.flatMap(linesOf);
    const options = ['--bootstrap-server', brokers.join(), '--topic', topic, '--from-beginning'];
    const bounds = ['--max-messages', String(lines.length), '--timeout-ms', '60000'];
    const read = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [...options, ...bounds]);
    expect(read.split('\n').slice(0, -1)).toEqual(lines);
  });
});

async function write(topic: string, compression: Compression): Promise<void> {
  using kafka = newClient();
  await using producer = new TopicProducer({ kafka, topic, compression });
  await producer.send(
    0,
    linesOf(compression).map((line) => ({ key: null, value: Buffer.from(line), headers: [] })),
  );
}

/** Reads the topic as the service reads the configurations' topic. */
async function readLog(topic: string): Promise<readonly string[]> {
  using kafka = newClient();
  await using log = kafka.openLog(topic);
  await log.refresh();
  const end = (await log.ends()).get(0) ?? 0;
  const lines: string[] = [];
  let next = 0;
  while (next < end) {
    const [leader = 0] = log.leaders().values();
    const [fetched] = await log.fetch(leader, new Map([[0, next]]));
    lines.push(...(fetched?.records ?? []).map(({ value }) => String(value)));
    next = fetched?.next ?? end;
  }
  return lines;
}
