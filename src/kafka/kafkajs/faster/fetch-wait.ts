import type { MonotonicClock } from '../../../lib/clock.ts';
import type { GroupState, StateOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/**
 * Wakes a sleeping fetcher as soon as a partition is resumed.
 *
 * A fetcher of kafkajs sleeps for `maxWaitTimeInMs` while its broker has no partition to read, or all are paused. A resume
 * does not wake it. A consumer with one partition then reads at most 1,500 records a second. Here `resume` ends that
 * sleep. Without a resume, the fetcher looks again after the configured time: its broker may have become a leader.
 */
export function wakeOnResume(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { fetch, resume } = consumerGroup;
  consumerGroup.fetch = async function fetchOrSleep(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    const isIdle = hasNothingToFetch(this, nodeId, clock.monotonic());
    const waitMs = Math.min(this.maxWaitTime, state.configured?.waitMs ?? this.maxWaitTime);
    if (isIdle && (await sleepUnlessResumed(state, waitMs, clock))) return [];
    return fetch.call(this, nodeId);
  };
  consumerGroup.resume = function resumeAndWake(this: ConsumerGroup, topicPartitions) {
    resume.call(this, topicPartitions);
    for (const wake of stateOf(this).wakers) wake();
  };
}

/** Returns false also while kafkajs has other work: a seek to carry out, or metadata to refresh. */
function hasNothingToFetch(group: ConsumerGroup, nodeId: string, now: number): boolean {
  const { cluster, subscriptionState } = group;
  const { metadataExpireAt } = cluster.brokerPool;
  if (group.seekOffset.size > 0 || metadataExpireAt === null || now > metadataExpireAt) return false;
  const node = Number(nodeId);
  return subscriptionState.active().every(({ topic, partitions }) => {
    const all = cluster.findTopicPartitionMetadata(topic);
    return !all.some(({ leader, partitionId }) => leader === node && partitions.includes(partitionId));
  });
}

/** Resolves to true after `ms`, or to false when a partition is resumed before. */
function sleepUnlessResumed(state: GroupState, ms: number, clock: MonotonicClock): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (elapsed: boolean): void => {
      timer[Symbol.dispose]();
      state.wakers.delete(wake);
      resolve(elapsed);
    };
    const wake = (): void => end(false);
    const timer = clock.after(ms, () => end(true));
    state.wakers.add(wake);
  });
}
