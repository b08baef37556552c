import type { Consumer, Kafka, KafkaMessage } from 'kafkajs';
import { createAssigner } from '../../src/kafka/consumer/assignor.ts';
import { consumerSettings } from '../../src/kafka/consumer/consumer-settings.ts';
import { withHooks, type ConsumerHooks } from '../../src/kafka/kafkajs/hooks.ts';
import { eventually } from '../support/time/eventually.ts';

export interface MemberOptions {
  readonly groupId: string;
  readonly topic: string;
  /** Decides which partitions it gets: they are dealt in the order of the names. */
  readonly name?: string;
  /** Which of the offsets handed on are done with, the last one included; undefined for none. */
  readonly resolve?: (offsets: readonly number[]) => number | undefined;
  readonly hooks?: Partial<ConsumerHooks>;
}

/** A consumer as the service runs its own, that notes all it is told. */
export interface Member extends AsyncDisposable {
  readonly consumer: Consumer;
  /** Each batch that was handed on. */
  readonly batches: readonly { readonly partition: number; readonly messages: readonly KafkaMessage[] }[];
  /** Partitions, a join each. */
  readonly joins: readonly { readonly memberId: string; readonly partitions: readonly number[] }[];
  readonly crashes: readonly Error[];
  /** Last offsets of what was passed over without a record. */
  readonly passedOver: readonly number[];
  readonly hooks: ConsumerHooks;
  /** Resolves once so many records were handed on, repeated ones counted. */
  received(count: number): Promise<readonly KafkaMessage[]>;
  commit(offset: number, metadata?: string): Promise<void>;
}

export async function startMember(kafka: Kafka, options: MemberOptions): Promise<Member> {
  const { groupId, topic, name = 'instance', resolve = (offsets) => offsets.at(-1) } = options;
  const batches: Member['batches'][number][] = [];
  const joins: Member['joins'][number][] = [];
  const crashes: Error[] = [];
  const passedOver: number[] = [];
  const hooks: ConsumerHooks = {
    beforeRejoin: async () => undefined,
    offsetReset: () => undefined,
    ...options.hooks,
  };
  const consumer = kafka.consumer({
    ...consumerSettings,
    heartbeatInterval: 200,
    groupId,
    partitionAssigners: [withHooks(hooks, createAssigner(name))],
  });
  const { GROUP_JOIN, CRASH, END_BATCH_PROCESS } = consumer.events;
  consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
    joins.push({ memberId, partitions: memberAssignment[topic] ?? [] });
  });
  consumer.on(CRASH, ({ payload }) => void crashes.push(payload.error));
  consumer.on(END_BATCH_PROCESS, ({ payload }) => {
    if (payload.batchSize === 0) passedOver.push(Number(payload.lastOffset));
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: async (payload) => {
      const { batch } = payload;
      batches.push({ partition: batch.partition, messages: batch.messages });
      const done = resolve(batch.messages.map(({ offset }) => Number(offset)));
      if (done !== undefined) payload.resolveOffset(String(done));
    },
  });
  return {
    consumer,
    batches,
    joins,
    crashes,
    passedOver,
    hooks,
    received: async (count) => {
      const all = (): readonly KafkaMessage[] => batches.flatMap(({ messages }) => messages);
      await eventually(`${count} records of ${topic} handed on`, async () => all().length >= count);
      return all();
    },
    commit: async (offset, metadata = '') =>
      hooks.commit?.({ topics: [{ topic, partitions: [{ partition: 0, offset: String(offset), metadata }] }] }),
    [Symbol.asyncDispose]: () => consumer.disconnect(),
  };
}
