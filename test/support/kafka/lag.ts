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

/** Returns the progress by topic, read one by one. So a record that moves to a topic further down the list is not missed. */
export async function readProgress(
  kafka: Kafka,
  reads: readonly GroupTopic[],
): Promise<Readonly<Record<string, TopicProgress>>> {
  const found: Record<string, TopicProgress> = {};
  for (const read of reads) found[read.topic] = await progressOf(kafka, read);
  return found;
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
