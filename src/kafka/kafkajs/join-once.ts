import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { isCoordinatorError, isNetworkError } from './faults.ts';
import type { GroupState, StateOf } from './group-state.ts';
import { hooksOf } from './hooks.ts';
import { fetchTopicIds } from './topic-ids.ts';
import type { ConsumerGroup, KafkajsInternals, OffsetCommit } from './internals.ts';

const patienceMs = 60_000;

/** A commit that came before there was a generation to commit under. */
class NotJoinedError extends Error {
  override readonly name = 'NotJoinedError';
  readonly type = 'UNKNOWN_MEMBER_ID';
}

/** The coordinator could not be reached in time. Its `type` makes kafkajs join again, which stock kafkajs may forget. */
class JoinFailedError extends Error {
  override readonly name = 'JoinFailedError';
  readonly type = 'REBALANCE_IN_PROGRESS';
}

/**
 * One join at a time, after the consumer's barrier, tried again while the coordinator can't be reached.
 *
 * - Each broker's fetcher joined by itself: seven generations for one shuffle of leaders, with records handled in
 *   between. github.com/tulios/kafkajs/issues/1366
 * - Nobody was asked before a rejoin: records in flight were read again by the partition's next owner.
 * - A coordinator that was loading its group crashed the consumer every 0.1 s.
 */
export function joinOnce({ consumerGroup, runner }: JoinInternals, stateOf: StateOf, clock: Clock): void {
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

type JoinInternals = Pick<KafkajsInternals, 'consumerGroup' | 'runner'>;

interface Join {
  readonly state: GroupState;
  readonly clock: Clock;
  /** What kafkajs does for a join. */
  readonly joinAndSync: () => Promise<void>;
}

async function join(group: ConsumerGroup, how: Join): Promise<void> {
  const hooks = hooksOf(group.cluster);
  if (group.generationId !== null) await hooks?.beforeRejoin({ kicked: group.memberId === null });
  // A consumer that crashed during the barrier may have begun anew, and then the hooks are the new membership's.
  if (hooks !== undefined && !how.state.stopping) {
    hooks.commit = (offsets) => commitNow(group, offsets);
    hooks.topicIds = (topics) => fetchTopicIds(group.cluster, topics);
  }
  how.state.rejoin = undefined;
  await joinPatiently(group, how);
}

async function commitNow(group: ConsumerGroup, offsets: OffsetCommit): Promise<void> {
  if (group.offsetManager === null) throw new NotJoinedError(`not a member of ${group.groupId} yet`);
  await group.commitOffsets(offsets);
}

async function joinPatiently(group: ConsumerGroup, { state, clock, joinAndSync }: Join): Promise<void> {
  const deadline = clock.now() + patienceMs;
  const backoff = new Backoff({ firstMs: 250, longestMs: 2_000 });
  while (true) {
    try {
      return await joinAndSync();
    } catch (cause) {
      if (state.stopping || !(isNetworkError(cause) || isCoordinatorError(cause))) throw cause;
      if (clock.now() > deadline) {
        state.rejoin = new JoinFailedError(`the coordinator of ${group.groupId} could not be reached`, { cause });
        throw state.rejoin;
      }
    }
    await sleep(clock, backoff.next());
  }
}
