import { decodeMetadata, logMark, relationOf, type CommitMetadata, type LogRelation } from './commit-metadata.ts';
import type { SettledBefore } from './settled-offsets.ts';
import type { TopicStates } from '../../kafkajs/topic-states.ts';
import type { Partitions } from '../pause-control.ts';
import { partitionKey } from '../../partition-key.ts';
import { connectAdmin, fetchCommits, type AdminFactory } from '../../topics/topic-admin.ts';

type CurrentLogs = Pick<TopicStates, 'clusterId' | 'ids'>;

/** The metadata of a group's commits. */
export class GroupCommits {
  readonly #metadata: ReadonlyMap<string, CommitMetadata>;

  /** Takes the metadata by `partitionKey`. */
  constructor(metadata: ReadonlyMap<string, CommitMetadata>) {
    this.#metadata = metadata;
  }

  /** Returns a function for the settled ranges of a partition. Those of another cluster or topic do not count. */
  settledIn(logs: CurrentLogs): SettledBefore {
    return (topic, partition) => {
      const isSameLog = this.#relationOf(topic, partition, logs) === 'same';
      return isSameLog ? (this.#of(topic, partition)?.settled ?? []) : [];
    };
  }

  /** Returns the partitions whose commit was made for an earlier topic of the same name. */
  partitionsOfRecreatedTopics(assigned: Partitions, logs: CurrentLogs): Partitions {
    return Object.fromEntries(
      Object.entries(assigned).map(([topic, partitions]) => [
        topic,
        partitions.filter((partition) => this.#relationOf(topic, partition, logs) === 'recreated'),
      ]),
    );
  }

  #relationOf(topic: string, partition: number, { clusterId, ids }: CurrentLogs): LogRelation {
    const id = ids.get(topic);
    return relationOf(this.#of(topic, partition)?.mark, id === undefined ? undefined : logMark(clusterId, id));
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
  for (const { topic, partitions } of await fetchCommits(admin, groupId, topics)) {
    for (const { partition, offset, metadata: text } of partitions) {
      metadata.set(partitionKey(topic, partition), decodeMetadata(Number(offset), text ?? ''));
    }
  }
  return new GroupCommits(metadata);
}
