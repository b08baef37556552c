import type { Broker } from 'kafkajs';
import { Backoff } from '../../../lib/backoff.ts';
import { within, type MonotonicClock } from '../../../lib/clock.ts';
import { isCoordinatorError, isNetworkError } from '../../client/faults.ts';
import type { GroupState, StateOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/** A search lasts for two sessions, at least this long. Then errors reach kafkajs again, which restarts the consumer. */
const shortestSearchMs = 60_000;

/** The key type of groups, https://kafka.apache.org/protocol.html#The_Messages_FindCoordinator */
const groupCoordinator = 0;

/** Bounds the lookups in flight. While no broker can be reached, kafkajs keeps retrying for each of them. */
const maxLookups = 3;

/** Thrown by a commit while the coordinator is unknown. */
export class CoordinatorLostError extends Error {
  override readonly name = 'CoordinatorLostError';
  readonly type = 'GROUP_COORDINATOR_NOT_AVAILABLE';
}

export type SearchCoordinator = (group: ConsumerGroup) => void;

/**
 * Looks up a lost coordinator again, in the background, and keeps the membership. The next successful heartbeat shows
 * whether the group still knows this member.
 *
 * kafkajs keeps asking the broker that is gone until the consumer crashes and joins as a new member. The whole group then
 * waits a session timeout for the old member, and nothing can be committed.
 * github.com/tulios/kafkajs/issues/1630, github.com/tulios/kafkajs/issues/1536
 */
export function searchLostCoordinator(
  consumerGroup: ConsumerGroup,
  stateOf: StateOf,
  clock: MonotonicClock,
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
 * Starts lookups until a coordinator is found, the deadline passes, or the membership ends. Never rejects. Each lookup
 * starts without waiting for the ones before: a starting broker accepts a connection but answers only seconds later.
 */
async function searchFor(group: ConsumerGroup, state: GroupState, clock: MonotonicClock): Promise<void> {
  const { offsetManager } = group;
  const deadline = clock.monotonic() + Math.max(shortestSearchMs, 2 * group.sessionTimeout);
  const isNeeded = (): boolean =>
    !state.stopping && state.joining === undefined && group.memberId !== null && group.offsetManager === offsetManager;
  const found = Promise.withResolvers<Broker>();
  // kafkajs would ask one random broker up to ten times and wait 5 s for a silent one, which outlasts a session.
  const backoff = new Backoff({ firstMs: 100, longestMs: 1_000 });
  let lookups = 0;
  const lookUp = async (): Promise<void> => {
    lookups += 1;
    try {
      found.resolve(await findCoordinator(group));
    } catch {
      // Any error is ignored here. The search continues until its deadline.
    } finally {
      lookups -= 1;
    }
  };
  while (isNeeded()) {
    if (lookups < maxLookups) void lookUp();
    if (await within(clock, backoff.next(), found.promise)) return adopt(group, await found.promise);
    if (clock.monotonic() > deadline) {
      state.searchFailed = true;
      return;
    }
  }
}

/** Asks one broker, once. kafkajs asks the same broker ten times, with growing pauses, before it asks another. */
async function findCoordinator({ cluster, groupId }: ConsumerGroup): Promise<Broker> {
  const broker = await cluster.brokerPool.findConnectedBroker();
  const { coordinator } = await broker.findGroupCoordinator({ groupId, coordinatorType: groupCoordinator });
  return cluster.findBroker({ nodeId: String(coordinator.nodeId) });
}

function adopt(group: ConsumerGroup, coordinator: Broker): void {
  group.coordinator = coordinator;
  if (group.offsetManager !== null) group.offsetManager.coordinator = coordinator;
}
