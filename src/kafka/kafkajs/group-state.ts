import type { AskedPartition, ConsumerGroup, OffsetManager } from './internals.ts';
import type { Cluster, PartitionAssigner } from 'kafkajs';
import type { Consumer, ConsumerHooks } from '../client/consumer.ts';

/** State that the repairs keep for one membership of a group. A consumer that restarts gets a new one. */
export class GroupState {
  /** The current join, including the barrier before it. */
  joining: Promise<void> | undefined;
  /** The reason for the next join, until that join starts. Fetching and handling batches throw it. */
  rejoin: Error | undefined;
  searching: Promise<void> | undefined;
  /** True after a search took too long. Errors then reach kafkajs again, which leads to a new membership. */
  searchFailed = false;
  /** True once the consumer is being stopped. Nothing is retried any more. */
  stopping = false;
  /** The monotonic time of the latest pause. */
  pausedAt: number | undefined;
  /** The monotonic time at which the latest records came. */
  recordsAt: number | undefined;
  heartbeatIntervalMs: number | undefined;
  /** Callbacks that each end the sleep of one fetcher. */
  readonly wakers = new Set<() => void>();
  /** Paces by the id of the broker. */
  readonly paces = new Map<string, FetchPace>();
  readonly plans: FetchPlans = new Map<string, FetchPlan>();
}

/** Plans by the id of the broker. */
export type FetchPlans = Map<string, FetchPlan>;

/** The partitions that a group asks one broker for. */
export interface FetchPlan {
  readonly metadata: object | null;
  /** Each join makes a new one. */
  readonly offsetManager: OffsetManager;
  /** Those of the broker that are not paused. */
  readonly partitions: readonly AskedPartition[];
  /** Those of the broker with the paused ones, by topic. */
  readonly assigned: ReturnType<ConsumerGroup['filterPartitionsByNode']>;
  /** True if the group has paused a partition, of whichever broker. */
  readonly isOnePaused: boolean;
}

/** The records of one broker: when the last ones came, as monotonic time, and how many come in a millisecond. */
export interface FetchPace {
  readonly answeredAt: number;
  readonly perMs: number;
}

export type StateOf = (group: ConsumerGroup) => GroupState;

export function createGroupStates(): StateOf {
  const states = new WeakMap<ConsumerGroup, GroupState>();
  return (group) => {
    const state = states.get(group) ?? new GroupState();
    states.set(group, state);
    return state;
  };
}

/** The hooks of one consumer, with the requests that kafkajs lacks. The repairs set those before each join. */
export interface RepairHooks extends ConsumerHooks {
  /**
   * The `commitOffsets` of kafkajs retries under any later generation, and stops the consumer for good on
   * ILLEGAL_GENERATION. github.com/tulios/kafkajs/issues/1712
   */
  commit?: Consumer['commit'];
  topicStates?: Consumer['topicStates'];
}

const hooksKey: unique symbol = Symbol('consumer hooks');

interface Hooked {
  readonly [hooksKey]?: RepairHooks;
}

/**
 * Ties the hooks to one consumer. The factory of its assignor receives the consumer's own cluster, and the hooks are
 * stored on that cluster.
 */
export function withHooks(hooks: RepairHooks, createAssignor: PartitionAssigner): PartitionAssigner {
  return (context) => {
    Object.assign(context.cluster, { [hooksKey]: hooks } satisfies Hooked);
    return createAssignor(context);
  };
}

export function hooksOf(cluster: Cluster & Hooked): RepairHooks | undefined {
  return cluster[hooksKey];
}
