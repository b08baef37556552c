import type { Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';
import { committedOffsets } from './commits.ts';

/** Which group reads which topic. */
export interface GroupTopic {
  readonly group: string;
  readonly topic: string;
}

/** Of a topic with all its partitions, in records. */
export interface TopicProgress {
  /** All that were ever written. */
  readonly written: number;
  /** Of these, what the group has yet to commit. */
  readonly lag: number;
}

/** By topic. Topics are asked beside each other, not at one moment: what moves between two may be seen in neither. */
export async function readProgress(kafka: Kafka, reads: readonly GroupTopic[]): Promise<Readonly<Record<string, TopicProgress>>> {
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
