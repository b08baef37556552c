import { describe, expect, it } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { openScan } from '../../../src/kafka/reader/topic-scan.ts';
import { readSnapshot } from '../../../src/kafka/reader/topic-snapshot.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { produceKeys } from '../../support/kafka/records.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';

const topic = 'topic';
const { signal } = new AbortController();

/** Starts a broker with a topic of one partition and three records. */
async function open() {
  const kafka = await startMemoryKafka();
  const target = { topic, partition: 0 };
  kafka.broker.createTopic(topic, 1);
  const write = (...keys: readonly string[]): Promise<unknown> => produceKeys(quietClient(kafka.brokers), topic, keys);
  await write('a', 'b', 'c');
  const client = createKafka({ purpose: 'admin', brokers: kafka.brokers, clientId: 'test', log: () => undefined });
  return {
    ...kafka,
    client,
    write,
    openTransaction: () => kafka.broker.disturb(target, (log) => log.openTransaction()),
    withhold: (isWithheld: boolean) => kafka.broker.disturb(target, (log) => (log.isWithheld = isWithheld)),
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await kafka[Symbol.asyncDispose]();
    },
  };
}

/** Returns a clock on which 20 s pass with each look. */
function hastyClock() {
  let now = 0;
  return {
    ...systemClock,
    after: (_: number, run: () => void) => systemClock.after(0, run),
    monotonic: () => (now += 20_000),
  };
}

describe('the ends of a topic', () => {
  it.each([
    { endsAtTransactions: false, expected: [5, 0] },
    { endsAtTransactions: true, expected: [3, 0] },
  ])('are those of all partitions that it has when asked: $expected', async ({ endsAtTransactions, expected }) => {
    await using kafka = await open();
    await using log = kafka.client.openLog(topic, { endsAtTransactions });
    await log.refresh();
    kafka.broker.addPartition(topic);
    kafka.openTransaction();
    await kafka.write('behind');
    expect([...(await log.ends()).values()]).toEqual(expected);
  });
});

describe('a topic whose broker answers without records', () => {
  it('is not skipped by a scan, which fails', async () => {
    await using kafka = await open();
    await using scan = await openScan({ kafka: kafka.client, topic, clock: hastyClock(), signal });
    kafka.withhold(true);
    await expect(Array.fromAsync(scan.readAll())).rejects.toThrow(
      `topic can't be read: partition 0 from offset 0 on: its broker answers without records`,
    );
    kafka.withhold(false);
    const chunks = await Array.fromAsync(scan.readAll());
    expect(chunks.flatMap(({ records }) => records)).toHaveLength(3);
  });

  it('has no snapshot; nor has one with an open transaction', async () => {
    await using kafka = await open();
    kafka.openTransaction();
    const snapshot = readSnapshot(kafka.client, topic, signal, { clock: hastyClock() });
    await expect(snapshot).rejects.toThrow('partition 0 from offset 3 on: a transaction is open at offset 3');
  });
});
