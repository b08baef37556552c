import { isSettled, type GroupProgress } from '../kafka/consumer/commits/group-commits.ts';
import type { Offsets } from '../kafka/client/topic-log.ts';
import type { TopicScan } from '../kafka/reader/topic-scan.ts';
import { findTopics } from '../kafka/topics/topic-admin.ts';
import { tierTopicsIn, type Tier } from '../kafka/topics/wanted-topics.ts';
import type { KafkaTools } from './with-kafka.ts';

/** A topic that a group of the service reads, with what the group had settled just before the scan was opened. */
export interface GroupTopic {
  readonly scan: TopicScan;
  /** The committed offsets. */
  readonly starts: Offsets;
  /** Undefined where the group has no commit. It begins at the first record there. */
  progressOf(partition: number): GroupProgress | undefined;
  isSettled(partition: number, offset: number): boolean;
}

/**
 * Opens topics and what a group has settled of them. The commits are read first: what was settled by then is in other topics
 * already, which have to be opened later.
 */
export async function openGroupTopics(
  { commits: readCommits, scan: open }: Pick<KafkaTools, 'commits' | 'scan'>,
  groupId: string,
  topics: readonly string[],
): Promise<readonly GroupTopic[]> {
  const commits = await readCommits(groupId, topics);
  return Promise.all(
    topics.map(async (topic) => {
      const scan = await open(topic);
      const { mark } = scan;
      const progress = new Map(scan.partitions.map((one) => [one, commits.progressOf(topic, one, mark)] as const));
      return {
        scan,
        starts: new Map([...progress].map(([partition, found]) => [partition, found?.offset ?? 0])),
        progressOf: (partition) => progress.get(partition),
        isSettled: (partition, offset) => {
          const found = progress.get(partition);
          return found !== undefined && isSettled(found, offset);
        },
      };
    }),
  );
}

export interface OpenTier extends GroupTopic {
  readonly tier: Tier;
}

/** Opens all tiers of the cluster, the shortest delay first. Retired ones are included. */
export async function openTiers(
  tools: Pick<KafkaTools, 'admin' | 'commits' | 'scan' | 'settings'>,
): Promise<readonly OpenTier[]> {
  const { kafka, retry } = tools.settings;
  const tiers = tierTopicsIn(await findTopics(tools.admin), retry.topicPrefix);
  const topics = tiers.map(({ topic }) => topic);
  const opened = await openGroupTopics(tools, `${kafka.groupId}.retry`, topics);
  return tiers.flatMap((tier, index) => {
    const open = opened[index];
    return open === undefined ? [] : [{ ...open, tier }];
  });
}
