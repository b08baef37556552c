import type { Registry } from 'prom-client';
import { pauseReasons } from '../../flow/pause-reason.ts';
import type { PartitionProgress } from '../../kafka/consumer/partition-progress.ts';
import { gauge } from './families.ts';
import { consumedTopics, type KnownTopics } from './known-topics.ts';

export type PartitionStatus = Omit<PartitionProgress, 'unread' | 'unsettled' | 'readAt'>;

/** Creates the gauges of partitions. Each call of the result replaces all series, so lost partitions disappear. */
export function createPartitionGauges(
  registry: Registry,
  known: KnownTopics,
): (partitions: readonly PartitionStatus[]) => void {
  const topics = consumedTopics(known);
  const partitionLabels = { topic: [], partition: [] };
  const lag = gauge(registry, {
    name: 'consumer_lag_records',
    help: 'Records from the committed offset to the end of the partition.',
    labels: partitionLabels,
  });
  const uncommitted = gauge(registry, {
    name: 'uncommitted_records',
    help: 'Records from the committed offset to the highest one received.',
    labels: partitionLabels,
  });
  const oldest = gauge(registry, {
    name: 'oldest_unsettled_record_timestamp_seconds',
    help: 'Timestamp of the oldest unsettled record; no sample when none is unsettled.',
    labels: { topic: [] },
  });
  const assigned = gauge(registry, {
    name: 'assigned_partitions',
    help: 'Partitions assigned to this instance.',
    labels: { topic: topics },
  });
  const paused = gauge(registry, {
    name: 'paused_partitions',
    help: 'Assigned partitions that are not read on at present, by the reason.',
    labels: { topic: topics, reason: pauseReasons },
  });
  return (partitions) => {
    for (const family of [lag, uncommitted, oldest, assigned, paused]) family.reset();
    for (const topic of topics) assigned.set({ topic }, 0);
    for (const topic of new Set([...topics, ...partitions.map((partition) => partition.topic)])) {
      for (const reason of pauseReasons) paused.set({ topic, reason }, 0);
    }
    for (const { topic, partition, ...status } of partitions) {
      if (status.lag !== undefined) lag.set({ topic, partition }, status.lag);
      uncommitted.set({ topic, partition }, status.uncommitted);
      assigned.inc({ topic });
      if (status.pausedBy !== undefined) paused.inc({ topic, reason: status.pausedBy });
    }
    for (const topic of known.certificateTopics) {
      const at = oldestOf(partitions.filter((partition) => partition.topic === topic));
      if (at !== undefined) oldest.set({ topic }, at / 1000);
    }
  };
}

export function oldestOf(partitions: readonly PartitionStatus[]): number | undefined {
  const times = partitions.map(({ oldestUnsettledAt }) => oldestUnsettledAt).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}
