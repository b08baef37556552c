import type { Clock } from '../../lib/clock.ts';
import type { GroupState, StateOf } from './group-state.ts';
import type { ConsumerGroup } from './internals.ts';

/**
 * Resuming a partition ends the nap that a fetcher takes while all partitions of its broker are paused. kafkajs slept
 * on for up to `maxWaitTimeInMs`, which capped a consumer with one partition at 1,500 records a second.
 */
export function wakeOnResume(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: Clock): void {
  const { fetch, resume } = consumerGroup;
  consumerGroup.fetch = async function fetchOrNap(this: ConsumerGroup, nodeId) {
    const isIdle = hasNothingToFetch(this, nodeId, clock.now());
    if (isIdle && (await sleptThrough(stateOf(this), this.maxWaitTime, clock))) return [];
    return fetch.call(this, nodeId);
  };
  consumerGroup.resume = function resumeAndWake(this: ConsumerGroup, topicPartitions) {
    resume.call(this, topicPartitions);
    for (const wake of stateOf(this).wakers) wake();
  };
}

/** False as long as kafkajs has work besides fetching: a seek to carry out, or metadata to refresh. */
function hasNothingToFetch(group: ConsumerGroup, nodeId: string, now: number): boolean {
  const { cluster, subscriptionState } = group;
  const { metadataExpireAt } = cluster.brokerPool;
  if (group.seekOffset.size > 0 || metadataExpireAt === null || now > metadataExpireAt) return false;
  if (subscriptionState.paused().length === 0) return false;
  return subscriptionState
    .active()
    .every(({ topic, partitions }) => cluster.findLeaderForPartitions(topic, partitions)[nodeId] === undefined);
}

function sleptThrough(state: GroupState, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (slept: boolean): void => {
      timer[Symbol.dispose]();
      state.wakers.delete(wake);
      resolve(slept);
    };
    const wake = (): void => end(false);
    const timer = clock.after(ms, () => end(true));
    state.wakers.add(wake);
  });
}
