import { type MonotonicClock, sleep } from '../../../lib/clock.ts';
import type { FetchLimits, GroupState, StateOf, FetchPace } from '../group-state.ts';
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

/** Time in ms from an answer with records to the next fetch, so that records come together. */
const togetherMs = 10;
/** Records that must be expected in that time. For fewer, a fetch of their own costs less than the delay. */
const worthWaiting = 5;
/** Time in ms over which the rate of records is averaged. */
const averagedMs = 100;

/**
 * Lets records come together once they come often.
 *
 * A broker answers a fetch as soon as it has one record. At 1,000 records a second nearly each was a fetch of its own, which
 * costs as much as a delivery. Below 500 a second nothing waits.
 */
export function fetchTogether(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { fetch } = consumerGroup;
  consumerGroup.fetch = async function fetchAfterOthers(this: ConsumerGroup, nodeId) {
    const { paces } = stateOf(this);
    const pace = paces.get(nodeId) ?? { answeredAt: Number.NEGATIVE_INFINITY, perMs: 0 };
    const waitMs = pace.answeredAt + togetherMs - clock.monotonic();
    if (waitMs > 0 && pace.perMs * togetherMs >= worthWaiting) await sleep(clock, waitMs);
    const batches = await fetch.call(this, nodeId);
    const records = batches.reduce((sum, { rawMessages }) => sum + rawMessages.length, 0);
    if (records > 0) paces.set(nodeId, afterAnswer(pace, records, clock.monotonic()));
    return batches;
  };
}

/** Averages exponentially, so that what came before `averagedMs` counts little. */
function afterAnswer({ answeredAt, perMs }: FetchPace, records: number, now: number): FetchPace {
  const kept = Math.exp((answeredAt - now) / averagedMs);
  return { answeredAt: now, perMs: perMs * kept + records / averagedMs };
}

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
