import type { Consumer, OffsetCommit } from '../../../src/kafka/client/consumer.ts';
import type { Kafka } from '../../../src/kafka/client/kafka.ts';
import { replaceMembers } from '../environment/replace-members.ts';

/** Commits altered offsets instead of those of the ledger. */
export function withAlteredCommits(kafka: Kafka, alter: (offset: number) => number): Kafka {
  const altered = ({ topics }: OffsetCommit): OffsetCommit => ({
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map((one) => ({ ...one, offset: String(alter(Number(one.offset))) })),
    })),
  });
  return withConsumer(kafka, (consumer) => ({ commit: (offsets) => consumer.commit(altered(offsets)) }));
}

/** Drops the calls to `resume` that `isForwarded` rejects. */
export function withFilteredResume(kafka: Kafka, isForwarded: (partitions: readonly number[]) => boolean): Kafka {
  return withConsumer(kafka, (consumer) => ({
    resume: (topics) => {
      if (isForwarded(topics.flatMap(({ partitions = [] }) => partitions))) consumer.resume(topics);
    },
  }));
}

function withConsumer(kafka: Kafka, replaced: (consumer: Consumer) => Partial<Consumer>): Kafka {
  return {
    ...kafka,
    consumer: (options) => {
      const consumer = kafka.consumer(options);
      return replaceMembers(consumer, replaced(consumer));
    },
  };
}
