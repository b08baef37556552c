import type { Consumer, ConsumerEvents, ConsumerHooks } from '../../src/kafka/client/consumer.ts';
import type { Kafka } from '../../src/kafka/client/kafka.ts';
import type { FullRecord } from '../../src/kafka/client/topic-log.ts';
import { createAssignor } from '../../src/kafka/consumer/assignor.ts';
import { consumerSettings } from '../../src/kafka/consumer/consumer-settings.ts';
import { eventually } from '../support/time/eventually.ts';

interface MemberOptions {
  readonly groupId: string;
  readonly topic: string;
  /** Determines the assigned partitions. Of two, `first` has partition 0 and `second` has partition 1. */
  readonly name?: string;
  /** Returns the last offset of the batch to resolve, or undefined for none. */
  readonly resolve?: (offsets: readonly number[]) => number | undefined;
  readonly hooks?: Partial<ConsumerHooks>;
  /** In ms. The default of kafkajs when left out. */
  readonly sessionTimeout?: number;
  /** In ms, short when left out. */
  readonly heartbeatInterval?: number;
}

/** A consumer configured like that of the service. It records all events. */
interface Member extends AsyncDisposable {
  readonly consumer: Consumer;
  /** The batches received. */
  readonly batches: readonly { readonly partition: number; readonly messages: readonly FullRecord[] }[];
  /** The member id and partitions of each join. */
  readonly joins: readonly { readonly memberId: string; readonly partitions: readonly number[] }[];
  readonly crashes: readonly Error[];
  /** The last offsets of skipped ranges without a record. */
  readonly skipped: readonly number[];
  /** Resolves once that number of records was received, including repeats. */
  received(count: number): Promise<readonly FullRecord[]>;
  commit(offset: number, metadata?: string): Promise<void>;
}

export const silentEvents: ConsumerEvents = {
  active: () => undefined,
  heartbeatAnswered: () => undefined,
  heartbeatAccepted: () => undefined,
  joined: () => undefined,
  crashed: () => undefined,
};

export async function startMember(kafka: Kafka, options: MemberOptions): Promise<Member> {
  const { groupId, topic, name = 'instance', sessionTimeout, heartbeatInterval = 200 } = options;
  const { resolve = (offsets) => offsets.at(-1) } = options;
  const batches: Member['batches'][number][] = [];
  const joins: Member['joins'][number][] = [];
  const crashes: Error[] = [];
  const skipped: number[] = [];
  const hooks: ConsumerHooks = {
    beforeRejoin: async () => undefined,
    offsetReset: () => undefined,
    takeBatch: (batch) => {
      const { partition, messages } = batch;
      if (messages.length === 0) {
        skipped.push(Number(batch.lastOffset()));
        return batch.lastOffset();
      }
      batches.push({ partition, messages });
      return resolve(messages.map(({ offset }) => Number(offset)))?.toString();
    },
    ...options.hooks,
  };
  const consumer = kafka.consumer({
    ...consumerSettings,
    heartbeatInterval,
    ...(sessionTimeout === undefined ? {} : { sessionTimeout }),
    groupId,
    assignor: createAssignor(name),
    events: {
      ...silentEvents,
      joined: ({ memberId, memberAssignment }) => {
        joins.push({ memberId, partitions: memberAssignment[topic] ?? [] });
      },
      crashed: ({ error }) => void crashes.push(error),
    },
    hooks,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({ autoCommit: false });
  return {
    consumer,
    batches,
    joins,
    crashes,
    skipped,
    received: async (count) => {
      const all = (): readonly FullRecord[] => batches.flatMap(({ messages }) => messages);
      await eventually(`${count} records of ${topic} are received`, async () => all().length >= count);
      return all();
    },
    commit: async (offset, metadata = '') =>
      consumer.commit({ topics: [{ topic, partitions: [{ partition: 0, offset: String(offset), metadata }] }] }),
    [Symbol.asyncDispose]: () => consumer.disconnect(),
  };
}
