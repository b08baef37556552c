import type { ConsumerGroup } from './internals.ts';

/** What the repairs have to remember of one membership of a group. A consumer that restarts starts with a new one. */
export interface GroupMemory {
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

export type MemoryOf = (group: ConsumerGroup) => GroupMemory;

export function createGroupMemory(): MemoryOf {
  const memories = new WeakMap<ConsumerGroup, GroupMemory>();
  return (group) => {
    const known = memories.get(group);
    if (known !== undefined) return known;
    const memory: GroupMemory = {
      joining: undefined,
      rejoin: undefined,
      searching: undefined,
      searchFailed: false,
      stopping: false,
      pausedAt: undefined,
      longestWaitMs: undefined,
      wakers: new Set(),
    };
    memories.set(group, memory);
    return memory;
  };
}
