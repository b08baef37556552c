import { type TopicPartition, type TopicStates, type Partitions, partitionKey } from '../../client/consumer.ts';
import type { Kafka } from '../../client/kafka.ts';
import { decodeMetadata, logMark, relationOf, type CommitMetadata, type LogMark } from './commit-metadata.ts';
import { connectAdmin, fetchCommits } from '../../topics/topic-admin.ts';

/** A partition without a commit: it is read from its start. */
interface UncommittedPartition extends TopicPartition {
  readonly start: number;
  /** Its records, which are read again, if the group has no commit at all. Otherwise 0. */
  readonly repeated: number;
}

type CurrentLogs = Pick<TopicStates, 'clusterId' | 'ids'>;

export interface SettledCommit extends CommitMetadata, TopicPartition {
  readonly offset: number;
}

export class GroupCommits {
  readonly all: readonly SettledCommit[];
  readonly uncommitted: readonly UncommittedPartition[];
  readonly #commits: ReadonlyMap<string, SettledCommit>;

  constructor(commits: readonly SettledCommit[], uncommitted: readonly UncommittedPartition[] = []) {
    this.all = commits;
    this.#commits = new Map(commits.map((commit) => [partitionKey(commit.topic, commit.partition), commit]));
    this.uncommitted = uncommitted;
  }

  /** Returns true if commits name another configurations topic of this cluster as the last complete one, and none names this. */
  nameOtherConfigurations(current: LogMark): boolean {
    const named = this.all.map(({ configurations }) => configurations);
    const isNamed = named.some((mark) => mark?.topic === current.topic);
    return !isNamed && named.some((mark) => relationOf(mark, current) === 'recreated');
  }

  /** Returns what the group has settled of a partition. Undefined without a commit that belongs to the current log. */
  progressOf(topic: string, partition: number, current: LogMark | undefined): GroupProgress | undefined {
    const commit = this.of(topic, partition);
    const relation = relationOf(commit?.mark, current);
    if (commit === undefined || relation === 'recreated') return undefined;
    return { offset: commit.offset, settled: relation === 'same' ? commit.settled : [] };
  }

  /** Returns the partitions whose commit was made for an earlier topic of the same name. */
  partitionsOfRecreatedTopics(assigned: Partitions, logs: CurrentLogs): Partitions {
    return Object.fromEntries(
      Object.entries(assigned).map(([topic, partitions]) => [
        topic,
        partitions.filter(
          (partition) => relationOf(this.of(topic, partition)?.mark, markIn(logs, topic)) === 'recreated',
        ),
      ]),
    );
  }

  of(topic: string, partition: number): SettledCommit | undefined {
    return this.#commits.get(partitionKey(topic, partition));
  }
}

function markIn({ clusterId, ids }: CurrentLogs, topic: string): LogMark | undefined {
  const id = ids.get(topic);
  return id === undefined ? undefined : logMark(clusterId, id);
}

/** All offsets below `offset` are settled, and these ranges above it. */
export type GroupProgress = Pick<SettledCommit, 'offset' | 'settled'>;

export function isSettled({ offset: committed, settled }: GroupProgress, offset: number): boolean {
  return offset < committed || settled.some(({ start, end }) => start <= offset && offset < end);
}

export function unsettledBefore({ offset: committed, settled }: GroupProgress, offset: number): number {
  const above = settled.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, offset) - start), 0);
  return Math.max(0, offset - committed - above);
}

/**
 * Asks the coordinator for the group's commits in these topics. No other member commits for partitions assigned to this
 * process, so the answer stays true until this process commits.
 */
export async function readCommitted(
  kafka: Pick<Kafka, 'admin'>,
  groupId: string,
  topics: readonly string[],
): Promise<GroupCommits> {
  const commits = new Map<string, SettledCommit>();
  await using admin = await connectAdmin(kafka);
  const answers = await fetchCommits(admin, groupId, topics);
  for (const { topic, partitions } of answers) {
    for (const { partition, offset: text, metadata } of partitions) {
      const offset = Number(text);
      if (offset < 0) continue;
      const commit = { topic, partition, offset, ...decodeMetadata(offset, metadata ?? '') };
      commits.set(partitionKey(topic, partition), commit);
    }
  }
  const hasAll = (topic: string): boolean =>
    answers.some(
      ({ topic: name, partitions }) => name === topic && partitions.every(({ offset }) => Number(offset) >= 0),
    );
  const uncommitted: UncommittedPartition[] = [];
  for (const topic of topics.filter((name) => !hasAll(name))) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      const repeated = commits.size > 0 ? 0 : Number(high) - Number(low);
      if (!commits.has(partitionKey(topic, partition)))
        uncommitted.push({ topic, partition, start: Number(low), repeated });
    }
  }
  return new GroupCommits([...commits.values()], uncommitted);
}
