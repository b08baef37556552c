import type { MonotonicClock } from '../../../lib/clock.ts';
import type { FetchLimits, GroupState, StateOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/** Bounds the rate of fetches while partitions are paused only for an instant, and of those that end at a heartbeat. */
const shortestWaitMs = 10;

/**
 * Decides for how long a broker may hold a fetch, and how many bytes end that wait.
 *
 * | Partitions                                          | Longest wait                                    | Bytes      |
 * | --------------------------------------------------- | ----------------------------------------------- | ---------- |
 * | one is paused                                       | the time since the latest pause, or `maxWaitTime` | `minBytes` |
 * | none is paused, records came within `maxWaitTime`   | `maxWaitTime`                                   | `minBytes` |
 * | none is paused, no records came within `maxWaitTime` | until the next heartbeat                        | 1          |
 *
 * Every wait ends when a heartbeat is due, because kafkajs sends it between two fetches.
 *
 * - A partition that is resumed during a fetch is not part of that request. In kafkajs it waits for the answer. A backlog
 *   with some partitions ahead of others was read at a third of the possible rate.
 * - kafkajs has one wait for everything. If it is short, a consumer without records sends most of its requests for
 *   nothing. If it is long, heartbeats are late, and the rebalances that they report.
 */
export function limitFetches(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { fetch, pause, heartbeat } = consumerGroup;
  consumerGroup.pause = function pauseAndRecord(this: ConsumerGroup, topicPartitions) {
    pause.call(this, topicPartitions);
    stateOf(this).pausedAt = clock.monotonic();
  };
  consumerGroup.heartbeat = function heartbeatAndRecord(this: ConsumerGroup, options) {
    stateOf(this).heartbeatIntervalMs = options.interval;
    return heartbeat.call(this, options);
  };
  consumerGroup.fetch = async function fetchWithin(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    state.configured ??= { waitMs: this.maxWaitTime, bytes: this.minBytes };
    const { waitMs, bytes } = limitsOf(this, state, clock.monotonic());
    this.maxWaitTime = Math.ceil(waitMs);
    this.minBytes = bytes;
    const batches = await fetch.call(this, nodeId);
    if (batches.some(({ rawMessages }) => rawMessages.length > 0)) state.recordsAt = clock.monotonic();
    return batches;
  };
}

function limitsOf(group: ConsumerGroup, state: GroupState, now: number): FetchLimits {
  const { configured = { waitMs: 0, bytes: 1 }, pausedAt = now, recordsAt = Number.NEGATIVE_INFINITY } = state;
  const untilHeartbeatMs = group.lastRequest + (state.heartbeatIntervalMs ?? 0) - now;
  // An overdue heartbeat can't be sent at present.
  const longestMs = untilHeartbeatMs > 0 ? Math.max(untilHeartbeatMs, shortestWaitMs) : configured.waitMs;
  if (state.stopping) return { ...configured, waitMs: shortestWaitMs };
  const within = (waitMs: number): FetchLimits => ({ ...configured, waitMs: Math.min(waitMs, longestMs) });
  if (group.subscriptionState.paused().length > 0) {
    return within(Math.min(Math.max(now - pausedAt, shortestWaitMs), configured.waitMs));
  }
  if (now - recordsAt < configured.waitMs) return within(configured.waitMs);
  return { waitMs: longestMs, bytes: 1 };
}
