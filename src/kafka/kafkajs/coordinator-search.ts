import type { Broker } from 'kafkajs';
import { Backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { isCoordinatorError, isNetworkError } from './faults.ts';
import type { GroupState, StateOf } from './group-state.ts';
import type { ConsumerGroup } from './internals.ts';

const shortestPatienceMs = 60_000;

/** As FindCoordinator names it, https://kafka.apache.org/protocol.html#The_Messages_FindCoordinator */
const groupCoordinator = 0;

/** At once: while no broker can be reached kafkajs itself goes on trying for each. */
const mostQuestions = 3;

/** A commit while it is not known which broker takes it. */
export class CoordinatorLostError extends Error {
  override readonly name = 'CoordinatorLostError';
  readonly type = 'GROUP_COORDINATOR_NOT_AVAILABLE';
}

export type SearchCoordinator = (group: ConsumerGroup) => void;

/**
 * A coordinator that is lost is looked up again, in the background, and the membership is kept: the next heartbeat
 * that gets through says whether the group still knows us. kafkajs kept asking the broker that was gone until the
 * consumer crashed, joined as a new member, and the whole group waited a session timeout for its old one.
 * github.com/tulios/kafkajs/issues/1630, github.com/tulios/kafkajs/issues/1536
 */
export function searchLostCoordinator(
  consumerGroup: ConsumerGroup,
  stateOf: StateOf,
  clock: Clock,
): SearchCoordinator {
  const search: SearchCoordinator = (group) => {
    const state = stateOf(group);
    state.searching ??= searchFor(group, state, clock).finally(() => {
      state.searching = undefined;
    });
  };
  searchOnHeartbeat(consumerGroup, stateOf, search);
  searchOnCommit(consumerGroup, stateOf, search);
  return search;
}

function searchOnHeartbeat(consumerGroup: ConsumerGroup, stateOf: StateOf, search: SearchCoordinator): void {
  const { heartbeat } = consumerGroup;
  consumerGroup.heartbeat = async function heartbeatOrSearch(this: ConsumerGroup, options) {
    const state = stateOf(this);
    if (state.searching !== undefined) return;
    try {
      await heartbeat.call(this, options);
      state.searchFailed = false;
    } catch (error) {
      if (state.searchFailed || !isLost(error)) throw error;
      search(this);
    }
  };
}

function searchOnCommit(consumerGroup: ConsumerGroup, stateOf: StateOf, search: SearchCoordinator): void {
  const { commitOffsets } = consumerGroup;
  consumerGroup.commitOffsets = async function commitOrSearch(this: ConsumerGroup, offsets) {
    if (stateOf(this).searching !== undefined) throw new CoordinatorLostError('looking for the group coordinator');
    try {
      await commitOffsets.call(this, offsets);
    } catch (error) {
      if (isLost(error)) search(this);
      throw error;
    }
  };
}

function isLost(error: unknown): boolean {
  return isNetworkError(error) || isCoordinatorError(error);
}

/**
 * Never rejects. Ends when a coordinator answers, or the membership it was for is over. Whoever is asked next does not wait
 * for who was asked before: a broker that is only just starting takes a connection and says nothing for seconds.
 */
async function searchFor(group: ConsumerGroup, state: GroupState, clock: Clock): Promise<void> {
  const { offsetManager } = group;
  const deadline = clock.now() + Math.max(shortestPatienceMs, 2 * group.sessionTimeout);
  const isWanted = (): boolean =>
    !state.stopping &&
    state.joining === undefined &&
    group.memberId !== null &&
    group.offsetManager === offsetManager;
  const found = Promise.withResolvers<Broker>();
  const backoff = new Backoff({ firstMs: 100, longestMs: 1_000 });
  let asking = 0;
  const ask = async (): Promise<void> => {
    asking += 1;
    try {
      found.resolve(await findCoordinator(group));
    } catch {
      // Whatever went wrong, the search goes on until its deadline.
    } finally {
      asking -= 1;
    }
  };
  while (isWanted()) {
    if (asking < mostQuestions) void ask();
    if (await within(clock, backoff.next(), found.promise)) return adopt(group, await found.promise);
    if (clock.now() > deadline) {
      state.searchFailed = true;
      return;
    }
  }
}

/** Asks one broker, once: kafkajs asks the same one ten times, with longer and longer pauses, before it asks another. */
async function findCoordinator({ cluster, groupId }: ConsumerGroup): Promise<Broker> {
  const broker = await cluster.brokerPool.findConnectedBroker();
  const { coordinator } = await broker.findGroupCoordinator({ groupId, coordinatorType: groupCoordinator });
  return cluster.findBroker({ nodeId: String(coordinator.nodeId) });
}

function adopt(group: ConsumerGroup, coordinator: Broker): void {
  group.coordinator = coordinator;
  if (group.offsetManager !== null) group.offsetManager.coordinator = coordinator;
}
