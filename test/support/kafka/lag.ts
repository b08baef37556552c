import type { Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';
import { committedOffsets } from './commits.ts';

/** A group and a topic that it reads. */
export interface GroupTopic {
  readonly group: string;
  readonly topic: string;
}

/** Numbers of records in all partitions of a topic. */
export interface TopicProgress {
  /** Records written so far. */
  readonly written: number;
  /** Records that the group has not committed. */
  readonly lag: number;
}

/** Returns the progress by topic. It is no snapshot: a record that moves between two topics may be missed in both. */
export async function readProgress(
  kafka: Kafka,
  reads: readonly GroupTopic[],
): Promise<Readonly<Record<string, TopicProgress>>> {
  const found = await Promise.all(reads.map(async (read) => [read.topic, await progressOf(kafka, read)] as const));
  return Object.fromEntries(found);
}

async function progressOf(kafka: Kafka, read: GroupTopic): Promise<TopicProgress> {
  await using admin = await connectAdmin(kafka);
  const ends = await admin.fetchTopicOffsets(read.topic);
  const commits = new Map((await committedOffsets(kafka, read)).map(({ partition, offset }) => [partition, offset]));
  return {
    written: sum(ends.map(({ high }) => Number(high))),
    lag: sum(ends.map(({ partition, low, high }) => Number(high) - (commits.get(partition) ?? Number(low)))),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
