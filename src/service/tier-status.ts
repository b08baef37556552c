import type { PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import type { HeldByTopic } from '../kafka/consumer/retry-intake.ts';
import { tierTopicsIn } from '../kafka/topics/wanted-topics.ts';
import type { TierStatus } from '../telemetry/admin/status/status.ts';

export interface TierStatusOptions {
  /** The topics of the configured tiers. */
  readonly configured: readonly string[];
  /** `RETRY_TOPIC_PREFIX`. Topics with other names are ignored. */
  readonly prefix: string;
  /** All assigned partitions, including those of other topics. */
  readonly partitions: readonly PartitionProgress[];
  readonly held: HeldByTopic;
}

/**
 * Returns the status of each tier, including tiers that are read but no longer configured. The waiting records are those
 * held in memory and those not read yet. Their number is unknown while it is unknown for one partition.
 */
export function tierStatuses({ configured, prefix, partitions, held }: TierStatusOptions): readonly TierStatus[] {
  const topics = new Set([...configured, ...partitions.map(({ topic }) => topic)]);
  return tierTopicsIn([...topics], prefix).map(({ topic, label }) => {
    const ofTopic = partitions.filter((partition) => partition.topic === topic);
    const { records = 0, nextDueAt } = held.get(topic) ?? {};
    const unread = ofTopic.map((partition) => partition.unread).filter((number) => number !== undefined);
    return {
      topic,
      label,
      isConfigured: configured.includes(topic),
      partitions: ofTopic.length,
      waiting: unread.length < ofTopic.length ? undefined : unread.reduce((sum, number) => sum + number, records),
      nextDueAt,
    };
  });
}
