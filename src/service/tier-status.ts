import type { PartitionProgress } from '../kafka/consumer/partition-progress.ts';
import type { HeldByTopic } from '../kafka/consumer/retry-intake.ts';
import { tierTopicsIn } from '../kafka/topics/wanted-topics.ts';
import type { TierStatus } from '../telemetry/admin/status/status.ts';

export interface TierStatusOptions {
  /** The topics of the configured tiers. */
  readonly configured: readonly string[];
  readonly prefix: string;
  /** All that are assigned, of whatever topic. */
  readonly partitions: readonly PartitionProgress[];
  readonly held: HeldByTopic;
}

/** What waits in each tier, those included that are read although they are no longer configured. */
export function tierStatuses({ configured, prefix, partitions, held }: TierStatusOptions): readonly TierStatus[] {
  const topics = new Set([...configured, ...partitions.map(({ topic }) => topic)]);
  return tierTopicsIn([...topics], prefix).map(({ topic, label }) => {
    const ours = partitions.filter((partition) => partition.topic === topic);
    const { records = 0, nextDueAt } = held.get(topic) ?? {};
    const unread = ours.map((partition) => partition.unread).filter((number) => number !== undefined);
    return {
      topic,
      label,
      isConfigured: configured.includes(topic),
      partitions: ours.length,
      waiting: unread.length < ours.length ? undefined : unread.reduce((sum, number) => sum + number, records),
      nextDueAt,
    };
  });
}
