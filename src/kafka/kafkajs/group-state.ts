import type { ConsumerGroup } from './internals.ts';

/** What the repairs have to remember of one membership of a group. A consumer that restarts starts with a new one. */
export interface GroupState {
  /** The join under way, with the barrier before it. */
  joining: Promise<void> | undefined;
  /** Why a join is necessary, until it is under way: whoever fetches or handles a batch is thrown this. */
  rejoin: Error | undefined;
  /** The search for a lost coordinator. */
  searching: Promise<void> | undefined;
  /** The search took too long: errors go to kafkajs again, which ends in a new membership. */
  searchFailed: boolean;
  /** The consumer is being stopped: nothing is tried again. */
  stopping: boolean;
  /** Epoch milliseconds of the latest pause. */
  pausedAt: number | undefined;
  /** Its `maxWaitTime` as it was configured. */
  longestWaitMs: number | undefined;
  /** Each ends one nap. */
  readonly wakers: Set<() => void>;
}

export type StateOf = (group: ConsumerGroup) => GroupState;

export function createGroupStates(): StateOf {
  const states = new WeakMap<ConsumerGroup, GroupState>();
  return (group) => {
    const known = states.get(group);
    if (known !== undefined) return known;
    const state: GroupState = {
      joining: undefined,
      rejoin: undefined,
      searching: undefined,
      searchFailed: false,
      stopping: false,
      pausedAt: undefined,
      longestWaitMs: undefined,
      wakers: new Set(),
    };
    states.set(group, state);
    return state;
  };
}
