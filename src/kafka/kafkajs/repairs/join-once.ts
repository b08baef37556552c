import type { ConsumerHooks, OffsetCommit } from '../../client/consumer.ts';
import { Backoff } from '../../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../../lib/clock.ts';
import { kafkaErrorType, isCoordinatorError, isExpulsion, isNetworkError } from '../../client/faults.ts';
import { type GroupState, type StateOf, hooksOf } from '../group-state.ts';
import { fetchTopicStates } from '../topic-states.ts';
import type { ConsumerGroup, KafkajsInternals } from '../internals.ts';

/** Failed joins are repeated for this long. Then kafkajs gets an error that makes it join again. */
const joinTimeoutMs = 60_000;

/** Pause in ms of a leaving member between two heartbeats while the group waits for it, in steps of `stepMs`. */
const stayMs = 1000;
const stepMs = 250;

/** Thrown by a commit that comes before the first generation to commit under. */
class NotJoinedError extends Error {
  override readonly name = 'NotJoinedError';
  readonly type = 'UNKNOWN_MEMBER_ID';
}

/** Thrown when no coordinator was reached in time. Its `type` makes kafkajs join again, which it could forget otherwise. */
class JoinFailedError extends Error {
  override readonly name = 'JoinFailedError';
  readonly type = 'REBALANCE_IN_PROGRESS';
}

/**
 * Joins the group once for all fetchers, after the consumer's barrier, and retries while no coordinator can be reached.
 *
 * - kafkajs joins once per broker, because every fetcher joins by itself. One shuffle of partition leaders led to seven
 *   generations, and records were handled between them. Here all fetchers share one join.
 *   github.com/tulios/kafkajs/issues/1366
 * - kafkajs rejoins without asking the consumer. The partition's next owner then read the records in flight again. Here
 *   `beforeRejoin` is awaited first, and heartbeats keep the session until it has ended.
 * - kafkajs joins again although the consumer drains, which ends its assignment. Here a leaving member keeps its
 *   generation, under which it may still commit. The group waits for it until it leaves.
 * - kafkajs joins again only when a heartbeat says so. Without one, it went on reading as a member that the group had
 *   removed. Here a refused commit leads to a join as well.
 * - kafkajs crashes the consumer while the coordinator loads its group, every 0.1 s. Here the join is retried.
 */
export function joinOnce(
  { consumerGroup, runner }: Pick<KafkajsInternals, 'consumerGroup' | 'runner'>,
  stateOf: StateOf,
  clock: MonotonicClock,
): void {
  const { joinAndSync } = consumerGroup;
  consumerGroup.joinAndSync = function sharedJoin(this: ConsumerGroup) {
    const state = stateOf(this);
    state.joining ??= join(this, { state, clock, joinAndSync: () => joinAndSync.call(this) }).finally(() => {
      state.joining = undefined;
    });
    return state.joining;
  };
  const { stop } = runner;
  runner.stop = function stopRetrying() {
    stateOf(this.consumerGroup).stopping = true;
    return stop.call(this);
  };
}

interface Join {
  readonly state: GroupState;
  readonly clock: MonotonicClock;
  /** The original method of kafkajs. */
  readonly joinAndSync: () => Promise<void>;
}

async function join(group: ConsumerGroup, options: Join): Promise<void> {
  const hooks = hooksOf(group.cluster);
  const isMember = group.generationId !== null;
  const kicked = group.memberId === null;
  const isLeaving = (): boolean => isMember && hooks?.isLeaving?.() === true;
  if (isMember && (kicked || !isLeaving())) await passBarrier(group, options, kicked);
  if (isLeaving()) return stay(options, hooks);
  // A consumer that crashed during the barrier may have restarted. The hooks then belong to the new membership.
  if (hooks !== undefined && !options.state.stopping) {
    hooks.commit = (offsets) => commitNow(group, options.state, offsets);
    hooks.topicStates = async (topics) => fetchTopicStates(await group.cluster.findControllerBroker(), topics);
  }
  options.state.rejoin = undefined;
  await joinWithRetries(group, options);
  // The answer to a heartbeat of the barrier may have come during the join.
  options.state.rejoin = undefined;
}

async function passBarrier(group: ConsumerGroup, options: Join, kicked: boolean): Promise<void> {
  const passed = new AbortController();
  const barrier = hooksOf(group.cluster)?.beforeRejoin({ kicked });
  if (!kicked) void keepMembership(group, options, passed.signal);
  await barrier?.finally(() => passed.abort());
}

/** Sends heartbeats until the signal is aborted, or the group has no such member. Never rejects. */
async function keepMembership(group: ConsumerGroup, { state, clock }: Join, signal: AbortSignal): Promise<void> {
  const interval = state.heartbeatIntervalMs ?? group.sessionTimeout / 3;
  while (!signal.aborted) {
    try {
      await group.heartbeat({ interval });
    } catch (error) {
      if (!isRebalance(error)) return;
      hooksOf(group.cluster)?.awaitedByGroup?.();
    }
    await sleep(clock, interval, signal);
  }
}

/** Lets the fetch loop go on. All partitions are paused, so it sends the heartbeats that keep the membership. */
async function stay({ state, clock }: Join, hooks: ConsumerHooks | undefined): Promise<void> {
  if (isRebalance(state.rejoin)) hooks?.awaitedByGroup?.();
  for (let ms = 0; ms < stayMs && !state.stopping; ms += stepMs) await sleep(clock, stepMs);
  state.rejoin = undefined;
}

function isRebalance(error: unknown): boolean {
  return kafkaErrorType(error) === 'REBALANCE_IN_PROGRESS';
}

async function commitNow(group: ConsumerGroup, state: GroupState, offsets: OffsetCommit): Promise<void> {
  const { memberId, generationId, offsetManager } = group;
  if (offsetManager === null) throw new NotJoinedError(`not a member of ${group.groupId} yet`);
  try {
    await group.commitOffsets(offsets);
  } catch (error) {
    const isCurrent = group.memberId === memberId && group.generationId === generationId;
    if (isCurrent && error instanceof Error && isExpulsion(error)) state.rejoin ??= error;
    throw error;
  }
}

async function joinWithRetries(group: ConsumerGroup, { state, clock, joinAndSync }: Join): Promise<void> {
  const deadline = clock.monotonic() + joinTimeoutMs;
  const backoff = new Backoff({ firstMs: 250, longestMs: 2_000 });
  while (true) {
    try {
      return await joinAndSync();
    } catch (cause) {
      if (state.stopping || !(isNetworkError(cause) || isCoordinatorError(cause))) throw cause;
      if (clock.monotonic() > deadline) {
        state.rejoin = new JoinFailedError(`the coordinator of ${group.groupId} could not be reached`, { cause });
        throw state.rejoin;
      }
    }
    await sleep(clock, backoff.next());
  }
}
