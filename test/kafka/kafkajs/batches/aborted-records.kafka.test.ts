import fc from 'fast-check';
import { CompressionTypes } from 'kafkajs';
import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../../src/kafka/client/kafka-client.ts';
import { openScan } from '../../../../src/kafka/reader/topic-scan.ts';
import { openTopicLog } from '../../../../src/kafka/reader/topic-log.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { quietClient } from '../../../support/kafka/client.ts';
import { runKafkaTool } from '../../../support/kafka/cluster/kafka-tools.ts';
import { produce, readTopic } from '../../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { startTransactions, type Transactions } from '../../../support/kafka/transactions.ts';
import { needs } from '../../../support/programs/needs.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);
const partitions = [0, 1, 2, 3];
const int32 = (value: number): Buffer => Buffer.from([0, 0, 0, value]);

describe('aborted transactions on one partition', needs('java', 'maven'), () => {
  it('are read by nobody, whether they overlap, have keys of four zero bytes, or contain a commit', async () => {
    const topic = await writeTopic(async (transactions) => {
      const write = (producer: string, partition: number, ...keys: readonly (Buffer | null)[]) =>
        transactions.write(
          producer,
          keys.map((key) => ({ key, value: producer, partition })),
        );
      await write('begins first, ends last', 0, null, null);
      await write('begins last, ends first', 0, null);
      await transactions.end('begins last, ends first', 'abort');
      await transactions.end('begins first, ends last', 'abort');

      await write('numbers', 1, int32(1), int32(0), int32(2));
      await transactions.end('numbers', 'abort');

      await write('outer', 2, null);
      await write('inner', 2, null);
      await write('committed', 2, null);
      await transactions.end('committed', 'commit');
      for (const producer of ['outer', 'inner']) await write(producer, 2, null);
      for (const producer of ['inner', 'outer']) await transactions.end(producer, 'abort');
    });
    const committed = ['0/5 last', '1/4 last', '2/2 committed', '2/8 last', '3/0 last'];
    expect(await readByAll(topic, committed.length)).toEqual({
      java: committed,
      group: committed,
      follower: committed,
      scan: committed,
    });
  });

  it('are read by nobody in any order of writes, commits and aborts', async () => {
    const seed = Date.now();
    const committed: string[] = [];
    const topic = await writeTopic(async (transactions) => {
      const pending = new Map<string, string[]>();
      for (const { producer, compressed, key, partition, count, end } of randomSteps(seed)) {
        if (end === undefined) {
          const value = `${producer} ${pending.get(producer)?.length ?? 0}`;
          const records = Array.from({ length: count }, () => ({ key, value, partition }));
          const compression = compressed ? CompressionTypes.GZIP : CompressionTypes.None;
          const places = await transactions.write(producer, records, compression);
          const lines = places.map(({ offset }) => `${partition}/${offset} ${value}`);
          pending.set(producer, [...(pending.get(producer) ?? []), ...lines]);
        } else {
          await transactions.end(producer, end);
          if (end === 'commit') committed.push(...(pending.get(producer) ?? []));
          pending.delete(producer);
        }
      }
    });
    const count = committed.length + partitions.length;
    const { java, ...ours } = await readByAll(topic, count);
    expect(java, `seed ${seed}`).toEqual(expect.arrayContaining(committed));
    expect(ours, `seed ${seed}`).toEqual({ group: java, follower: java, scan: java });
  });
});

interface RandomStep {
  readonly producer: string;
  readonly partition: number;
  readonly key: Buffer | null;
  readonly count: number;
  readonly compressed: boolean;
  /** Undefined for a write. */
  readonly end: 'commit' | 'abort' | undefined;
}

function randomSteps(seed: number): readonly RandomStep[] {
  const step = fc.record({
    producer: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    partition: fc.constantFrom(...partitions),
    key: fc.constantFrom(null, int32(0), int32(1)),
    count: fc.integer({ min: 1, max: 3 }),
    compressed: fc.boolean(),
    end: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      undefined,
      'commit' as const,
      'abort' as const,
      'abort' as const,
    ),
  });
  const [steps = []] = fc.sample(fc.array(step, { minLength: 150, maxLength: 150 }), { numRuns: 1, seed });
  return steps;
}

/** Creates a topic, writes to it, and ends each of its partitions with a record that is committed. Returns its name. */
async function writeTopic(write: (transactions: Transactions) => Promise<void>): Promise<string> {
  const topic = uniqueName('transactions');
  await createTopics(kafka, [{ topic, partitions: partitions.length }]);
  {
    await using transactions = await startTransactions(kafka, topic);
    await write(transactions);
  }
  await produce(
    kafka,
    topic,
    partitions.map((partition) => ({ value: 'last', partition })),
  );
  return topic;
}

/** Reads the topic with the Java client and in all our ways, as lines of partition, offset and value. */
async function readByAll(topic: string, count: number) {
  using reading = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
  const [java, group] = [await readWithJava(topic, count), await readTopic(reading, topic)];
  const follower = await readLog(topic);
  const scan = await readScan(topic);
  return {
    java: java.toSorted(inOrder),
    group: group.map(({ partition, offset, value }) => lineOf(partition, offset, value)),
    follower: follower.toSorted(inOrder),
    scan,
  };
}

async function readWithJava(topic: string, count: number): Promise<readonly string[]> {
  const where = ['--bootstrap-server', brokers.join(), '--topic', topic, '--from-beginning'];
  const isolation = ['--isolation-level', 'read_committed'];
  const format = ['--formatter-property', 'print.partition=true', '--formatter-property', 'print.offset=true'];
  const bounds = ['--max-messages', String(count), '--timeout-ms', '60000'];
  const options = [...where, ...isolation, ...format, ...bounds];
  const read = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', options);
  return read
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^Partition:(\d+)\tOffset:(\d+)\t/v, '$1/$2 '));
}

/** Reads the topic as the service reads the configurations' topic. */
async function readLog(topic: string): Promise<readonly string[]> {
  using reading = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
  await using log = openTopicLog(reading, topic);
  await log.refresh();
  const positions = new Map(await log.starts(partitions));
  const ends = await log.ends();
  const lines: string[] = [];
  while (partitions.some((partition) => Number(positions.get(partition)) < Number(ends.get(partition)))) {
    const [leader = 0] = log.leaders().values();
    for (const { partition, next, records } of await log.fetch(leader, positions)) {
      lines.push(...records.map(({ offset, value }) => lineOf(partition, Number(offset), value)));
      positions.set(partition, next);
    }
  }
  return lines;
}

async function readScan(topic: string): Promise<readonly string[]> {
  using client = createKafka({ purpose: 'admin', brokers, clientId: 'test', log: () => undefined });
  const { signal } = new AbortController();
  await using scan = await openScan({ kafka: client, topic, clock: systemClock, signal });
  const chunks = await Array.fromAsync(scan.readAll());
  return chunks.flatMap(({ records }) =>
    records.map(({ partition, offset, value }) => lineOf(partition, offset, value)),
  );
}

function lineOf(partition: number, offset: number, value: Buffer | null): string {
  return `${partition}/${offset} ${String(value)}`;
}

function inOrder(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
