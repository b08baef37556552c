import type { Clock } from '../../lib/clock.ts';
import type { StateOf } from './group-state.ts';
import type { ConsumerGroup } from './internals.ts';

const shortestWaitMs = 10;

/**
 * A partition that is resumed is not in the request that is out: it waits until that is answered, which takes
 * `maxWaitTimeInMs` when the others have nothing new. A backlog with some partitions ahead of others went at a third of its
 * pace for that. So while a partition is paused, a request waits no longer than the latest pause has lasted.
 */
export function pollBrieflyAfterPause(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: Clock): void {
  const { fetch, pause } = consumerGroup;
  consumerGroup.pause = function pauseAndNote(this: ConsumerGroup, topicPartitions) {
    pause.call(this, topicPartitions);
    stateOf(this).pausedAt = clock.now();
  };
  consumerGroup.fetch = async function fetchBriefly(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    state.longestWaitMs ??= this.maxWaitTime;
    const { pausedAt = 0, longestWaitMs } = state;
    const hasPaused = this.subscriptionState.paused().length > 0;
    const lastedMs = hasPaused ? clock.now() - pausedAt : Number.POSITIVE_INFINITY;
    this.maxWaitTime = Math.min(Math.max(lastedMs, shortestWaitMs), longestWaitMs);
    return fetch.call(this, nodeId);
  };
}
