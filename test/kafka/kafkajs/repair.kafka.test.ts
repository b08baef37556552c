import { PartitionAssigners, type Consumer, type Kafka } from 'kafkajs';
import { describe, expect, inject, it } from 'vitest';
import { createKafka } from '../../../src/kafka/client/kafka-client.ts';
import { withHooks, type ConsumerHooks } from '../../../src/kafka/kafkajs/hooks.ts';
import { connectAdmin, quietClient } from '../../support/kafka/client.ts';
import { produce } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';

const brokers = inject('kafka');
const kafka = quietClient(brokers);
const { roundRobin } = PartitionAssigners;

const quiet: ConsumerHooks = { beforeRejoin: () => Promise.resolve(), offsetReset: () => undefined };

/** A repaired consumer that commits only what the test commits. */
async function startMember(
  client: Kafka,
  options: {
    readonly groupId: string;
    readonly topic: string;
    readonly hooks?: ConsumerHooks;
    readonly maxWaitMs?: number;
    readonly received?: (partition: number, offset: number, consumer: Consumer) => void;
  },
): Promise<Consumer & AsyncDisposable> {
  const { groupId, topic, hooks = { ...quiet }, maxWaitMs = 100, received = () => undefined } = options;
  const takeBatch: ConsumerHooks['takeBatch'] = (batch) => {
    for (const { offset } of batch.messages) received(batch.partition, Number(offset), consumer);
    return batch.lastOffset();
  };
  const consumer = client.consumer({
    groupId,
    maxWaitTimeInMs: maxWaitMs,
    heartbeatInterval: 200,
    partitionAssigners: [withHooks(Object.assign(hooks, { takeBatch }), roundRobin)],
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ autoCommit: false });
  return Object.assign(consumer, { [Symbol.asyncDispose]: () => consumer.disconnect() });
}

async function newTopic(partitions: number, records: number): Promise<string> {
  const topic = uniqueName('repaired');
  await createTopics(kafka, [{ topic, partitions }]);
  const values = Array.from({ length: records }, (_, index) => String(index));
  for (let partition = 0; partition < partitions; partition += 1) {
    await produce(
      kafka,
      topic,
      values.map((value) => ({ value, partition })),
    );
  }
  return topic;
}

const commitOf = (topic: string, offsets: Readonly<Record<number, string>>) => ({
  topics: [
    {
      topic,
      partitions: Object.entries(offsets).map(([partition, offset]) => ({ partition: Number(partition), offset })),
    },
  ],
});

describe('a repaired consumer', () => {
  it('reads a resumed partition before the wait for another one ends, which has nothing new', async () => {
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const topic = uniqueName('repaired');
    await createTopics(kafka, [{ topic, partitions: 2 }]);
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<number>();
    // Less than kafkajs waits for an answer.
    const maxWaitMs = 25_000;
    await using member = await startMember(client, {
      groupId: uniqueName('repaired'),
      topic,
      maxWaitMs,
      received: (partition, offset, consumer) => {
        if (offset === 1) return second.resolve(Date.now());
        consumer.pause([{ topic, partitions: [partition] }]);
        return first.resolve();
      },
    });
    await produce(kafka, topic, [{ value: 'first', partition: 0 }]);
    await first.promise;
    await produce(kafka, topic, [{ value: 'second', partition: 0 }]);
    const resumedAt = Date.now();
    member.resume([{ topic, partitions: [0] }]);
    expect((await second.promise) - resumedAt).toBeLessThan(maxWaitMs);
  });

  it('can still commit while its group rebalances, before it joins again', async () => {
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const topic = await newTopic(2, 5);
    const groupId = uniqueName('repaired');
    const barriers: boolean[] = [];
    const hooks: ConsumerHooks = {
      ...quiet,
      beforeRejoin: async ({ kicked }) => {
        barriers.push(kicked);
        await hooks.commit?.(commitOf(topic, { 0: '3', 1: '4' }));
      },
    };
    await using _first = await startMember(client, { groupId, topic, hooks });
    const received: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await using _second = await startMember(client, {
      groupId,
      topic,
      received: (partition, offset) => {
        received.push(`${partition}/${offset}`);
        if (offset === 4) resolve();
      },
    });
    await promise;
    expect(barriers).toEqual([false]);
    expect(['0/3,0/4', '1/4']).toContain(received.join());
  });

  it('continues at the earliest record after retention, reports the gap, and commits nothing', async () => {
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const topic = await newTopic(1, 10);
    const groupId = uniqueName('repaired');
    await using admin = await connectAdmin(kafka);
    await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '2' }] });
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '7' }] });
    const resets: unknown[] = [];
    const received: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    await using _member = await startMember(client, {
      groupId,
      topic,
      hooks: { ...quiet, offsetReset: (reset) => void resets.push(reset) },
      received: (_, offset) => {
        received.push(offset);
        if (offset === 9) resolve();
      },
    });
    await promise;
    expect(resets).toEqual([{ topic, partition: 0, from: 2, to: 7 }]);
    expect(received).toEqual([7, 8, 9]);
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    expect(committed?.partitions).toMatchObject([{ offset: '2' }]);
  });

  it('commits metadata with an offset', async () => {
    using client = createKafka({ purpose: 'reading', brokers, clientId: 'test', log: () => undefined });
    const topic = await newTopic(1, 1);
    const groupId = uniqueName('repaired');
    const hooks: ConsumerHooks = { ...quiet };
    await using _member = await startMember(client, { groupId, topic, hooks });
    const partitions = [{ partition: 0, offset: '1', metadata: 'w1:abc' }];
    await hooks.commit?.({ topics: [{ topic, partitions }] });
    await using admin = await connectAdmin(kafka);
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    expect(committed?.partitions).toEqual(partitions);
  });
});
