import type { Consumer, ConsumerConfig, Kafka } from 'kafkajs';
import { hooksOf, type ConsumerHooks } from '../../../src/kafka/kafkajs/hooks.ts';

/** Commits altered offsets instead of those of the ledger. */
export function withAlteredCommits(kafka: Kafka, alter: (offset: number) => number): Kafka {
  return withConsumer(kafka, ({ partitionAssigners = [], ...config }) =>
    kafka.consumer({
      ...config,
      partitionAssigners: partitionAssigners.map((createAssignor) => (context) => {
        const assignor = createAssignor(context);
        const hooks = hooksOf(context.cluster);
        if (hooks !== undefined) alterCommits(hooks, alter);
        return assignor;
      }),
    }),
  );
}

/** Drops the calls to `resume` that `isForwarded` rejects. */
export function withFilteredResume(kafka: Kafka, isForwarded: (partitions: readonly number[]) => boolean): Kafka {
  return withConsumer(kafka, (config) => {
    const consumer = kafka.consumer(config);
    const resume: Consumer['resume'] = (topics) => {
      if (isForwarded(topics.flatMap(({ partitions = [] }) => partitions))) consumer.resume(topics);
    };
    return new Proxy(consumer, {
      get: (target, name) => {
        if (name === 'resume') return resume;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  });
}

function withConsumer(kafka: Kafka, consumer: (config: ConsumerConfig) => Consumer): Kafka {
  const mutated: Pick<Kafka, 'admin' | 'consumer' | 'producer'> = {
    admin: (config) => kafka.admin(config),
    producer: (config) => kafka.producer(config),
    consumer,
  };
  return mutated as Kafka;
}

/** Wraps every function that the client sets as `commit`, because it sets a new one before each join. */
function alterCommits(hooks: ConsumerHooks, alter: (offset: number) => number): void {
  let commit: ConsumerHooks['commit'];
  Object.defineProperty(hooks, 'commit', {
    set: (value: ConsumerHooks['commit']) => {
      commit = value;
    },
    get: (): ConsumerHooks['commit'] =>
      commit &&
      (async ({ topics }) =>
        commit?.({
          topics: topics.map(({ topic, partitions }) => ({
            topic,
            partitions: partitions.map((one) => ({ ...one, offset: String(alter(Number(one.offset))) })),
          })),
        })),
  });
}
