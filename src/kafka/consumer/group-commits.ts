import type { SettledBefore } from './assignment.ts';
import { decodeMetadata, topicMark, type CommitMetadata } from './commit-metadata.ts';
import type { TopicIds } from '../kafkajs/topic-ids.ts';
import type { Partitions } from './pause-control.ts';
import { connectAdmin, type AdminFactory } from '../topics/topic-admin.ts';

/** What the commits of a group say besides their offsets. */
export class GroupCommits {
  readonly #metadata: ReadonlyMap<string, CommitMetadata>;

  constructor(metadata: ReadonlyMap<string, CommitMetadata>) {
    this.#metadata = metadata;
  }

  readonly settledBefore: SettledBefore = (topic, partition) => this.#of(topic, partition)?.settled ?? [];

  /** Those of the partitions whose commit was made for an earlier topic of the same name. */
  partitionsOfRecreatedTopics(assigned: Partitions, ids: TopicIds): Partitions {
    return Object.fromEntries(
      Object.entries(assigned).map(([topic, partitions]) => [
        topic,
        partitions.filter((partition) => this.#isOfEarlierTopic(topic, partition, ids.get(topic))),
      ]),
    );
  }

  #isOfEarlierTopic(topic: string, partition: number, id: string | undefined): boolean {
    const log = this.#of(topic, partition)?.topicMark;
    return log !== undefined && id !== undefined && log !== topicMark(id);
  }

  #of(topic: string, partition: number): CommitMetadata | undefined {
    return this.#metadata.get(`${topic}/${partition}`);
  }
}

/**
 * Asks for the group's commits in these topics. Nobody else commits for partitions that are assigned to us, so the
 * answer holds until we do.
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
      metadata.set(`${topic}/${partition}`, decodeMetadata(Number(offset), text ?? ''));
    }
  }
  return new GroupCommits(metadata);
}
