import type { SettledBefore } from './assignment.ts';
import { decodeMetadata, topicMark, type CommitMetadata } from './commit-metadata.ts';
import type { TopicIds } from '../kafkajs/topic-ids.ts';
import type { Partitions } from './pause-control.ts';
import { partitionKey } from '../partition-key.ts';
import { connectAdmin, type AdminFactory } from '../topics/topic-admin.ts';

/** The metadata of a group's commits. */
export class GroupCommits {
  readonly #metadata: ReadonlyMap<string, CommitMetadata>;

  /** Takes the metadata by `partitionKey`. */
  constructor(metadata: ReadonlyMap<string, CommitMetadata>) {
    this.#metadata = metadata;
  }

  readonly settledBefore: SettledBefore = (topic, partition) => this.#of(topic, partition)?.settled ?? [];

  /** Returns the partitions whose commit was made for an earlier topic of the same name. */
  partitionsOfRecreatedTopics(assigned: Partitions, ids: TopicIds): Partitions {
    return Object.fromEntries(
      Object.entries(assigned).map(([topic, partitions]) => [
        topic,
        partitions.filter((partition) => this.#isOfEarlierTopic(topic, partition, ids.get(topic))),
      ]),
    );
  }

  #isOfEarlierTopic(topic: string, partition: number, id: string | undefined): boolean {
    const mark = this.#of(topic, partition)?.topicMark;
    return mark !== undefined && id !== undefined && mark !== topicMark(id);
  }

  #of(topic: string, partition: number): CommitMetadata | undefined {
    return this.#metadata.get(partitionKey(topic, partition));
  }
}

/**
 * Asks the coordinator for the group's commits in these topics. No other member commits for partitions assigned to this
 * process, so the answer stays true until this process commits.
 */
export async function readCommitted(
  kafka: AdminFactory,
  groupId: string,
  topics: readonly string[],
): Promise<GroupCommits> {
  const metadata = new Map<string, CommitMetadata>();
  await using admin = await connectAdmin(kafka);
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const { partition, offset, metadata: text } of partitions) {
      metadata.set(partitionKey(topic, partition), decodeMetadata(Number(offset), text ?? ''));
    }
  }
  return new GroupCommits(metadata);
}
