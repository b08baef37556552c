import type { MonotonicClock } from '../../lib/clock.ts';
import type { StateOf } from './group-state.ts';
import type { ConsumerGroup } from './internals.ts';

/** Bounds the rate of fetches while partitions are paused only for an instant. */
const shortestWaitMs = 10;

/**
 * Shortens the wait of fetches while a partition is paused, to the time since the latest pause.
 *
 * A partition that is resumed during a fetch is not part of that request. In kafkajs it waits for the answer, up to
 * `maxWaitTimeInMs` when the other partitions have nothing new. A backlog with some partitions ahead of others was read
 * at a third of the possible rate.
 */
export function pollBrieflyAfterPause(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { fetch, pause } = consumerGroup;
  consumerGroup.pause = function pauseAndRecord(this: ConsumerGroup, topicPartitions) {
    pause.call(this, topicPartitions);
    stateOf(this).pausedAt = clock.monotonic();
  };
  consumerGroup.fetch = async function fetchBriefly(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    state.longestWaitMs ??= this.maxWaitTime;
    const { pausedAt = Number.NEGATIVE_INFINITY, longestWaitMs } = state;
    const hasPaused = this.subscriptionState.paused().length > 0;
    const pausedMs = hasPaused ? clock.monotonic() - pausedAt : Number.POSITIVE_INFINITY;
    this.maxWaitTime = Math.round(Math.min(Math.max(pausedMs, shortestWaitMs), longestWaitMs));
    return fetch.call(this, nodeId);
  };
}
