import type { MonotonicClock } from '../../../lib/clock.ts';
import type { FetchPace, GroupState } from '../group-state.ts';
import type { ConsumerGroup, FetchRequest } from '../internals.ts';

/** Bounds the rate of fetches while partitions are paused only for an instant, and of those that end at a heartbeat. */
const shortestWaitMs = 10;

type FetchLimits = Pick<FetchRequest, 'maxWaitTime' | 'minBytes'>;

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
export function limitsOf(group: ConsumerGroup, state: GroupState, isOnePaused: boolean, now: number): FetchLimits {
  const { maxWaitTime, minBytes, lastRequest } = group;
  const { pausedAt = now, recordsAt = Number.NEGATIVE_INFINITY, heartbeatIntervalMs = 0 } = state;
  const untilHeartbeatMs = lastRequest + heartbeatIntervalMs - now;
  // An overdue heartbeat can't be sent at present.
  const longestMs = untilHeartbeatMs > 0 ? Math.max(untilHeartbeatMs, shortestWaitMs) : maxWaitTime;
  if (state.stopping) return { maxWaitTime: shortestWaitMs, minBytes };
  const within = (waitMs: number): FetchLimits => ({ maxWaitTime: Math.ceil(Math.min(waitMs, longestMs)), minBytes });
  if (isOnePaused) return within(Math.min(Math.max(now - pausedAt, shortestWaitMs), maxWaitTime));
  if (now - recordsAt < maxWaitTime) return within(maxWaitTime);
  return { maxWaitTime: Math.ceil(longestMs), minBytes: 1 };
}

/**
 * Time in ms from an answer with records to the next fetch, so that records come together. A fetch and the question for the end
 * of the configurations that follows it take 0.2 ms of processor time: 5 % of a core at this pace.
 */
const togetherMs = 4;
/** Records that must be expected in that time. For fewer, a fetch of their own costs less than the delay. */
const worthWaiting = 2;
/** Time in ms over which the rate of records is averaged. */
const averagedMs = 100;

/**
 * Returns the time in ms to wait for more records before the next fetch.
 *
 * A broker answers a fetch as soon as it has one record. At 1,000 records a second nearly each was a fetch of its own. Below 500
 * a second nothing waits.
 */
export function togetherIn({ answeredAt, perMs }: FetchPace, now: number): number {
  return perMs * togetherMs >= worthWaiting ? answeredAt + togetherMs - now : 0;
}

/** Returns the pace after an answer. Averages exponentially, so that what came before `averagedMs` counts little. */
export function afterAnswer(pace: FetchPace | undefined, records: number, now: number): FetchPace {
  const { answeredAt, perMs } = pace ?? noPace;
  const kept = Math.exp((answeredAt - now) / averagedMs);
  return { answeredAt: now, perMs: perMs * kept + records / averagedMs };
}

export const noPace: FetchPace = { answeredAt: Number.NEGATIVE_INFINITY, perMs: 0 };

/**
 * Resolves to true after `ms`, or to false when a partition is resumed before.
 *
 * A fetcher of kafkajs sleeps for `maxWaitTimeInMs` while its broker has no partition to read, or all are paused. A resume
 * does not wake it. A consumer with one partition then reads at most 1,500 records a second.
 */
export function sleepUnlessResumed(state: GroupState, ms: number, clock: MonotonicClock): Promise<boolean> {
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
