import type { Cluster, PartitionAssigner } from 'kafkajs';
import type { Batch, OffsetCommit, RawRecord, TopicPartition } from './internals.ts';
import type { TopicStates } from './topic-states.ts';

/** The records of one partition in a Fetch response, without control records and those of aborted transactions. */
export interface FetchedBatch extends TopicPartition, Pick<Batch, 'highWatermark' | 'lastOffset'> {
  readonly messages: readonly Omit<RawRecord, 'isControlRecord' | 'batchContext'>[];
}

/** Callbacks and functions that kafkajs lacks. The repairs call the former and set the latter. */
export interface ConsumerHooks {
  /**
   * Awaited before each join but the first. A rejection fails the join. `kicked` means that the group has already removed
   * this member, so the broker would refuse commits.
   */
  beforeRejoin(rejoin: { readonly kicked: boolean }): Promise<void>;
  /** Returns true once the consumer drains, to leave the group afterwards. It joins no more then. */
  isLeaving?(): boolean;
  /** Called for each heartbeat of a leaving consumer that the group answered with a rebalance: it waits for this member. */
  awaitedByGroup?(): void;
  /**
   * Takes the records of one partition, perhaps none but control records. Returns the last offset that need not be fetched
   * again, if any. Must not throw. Without it, kafkajs handles batches.
   */
  takeBatch?(batch: FetchedBatch): string | undefined;
  /**
   * Called when offset `from` is not in the log. Reading continues at the earliest record, `to`, and nothing is committed.
   * `to` is below `from` when the log was created after the offset was committed.
   */
  offsetReset(reset: TopicPartition & { readonly from: number; readonly to: number }): void;
  /** Called when the records from this offset on can't be decoded. They are fetched again at once unless paused. */
  unreadable?(unreadable: TopicPartition & { readonly offset: number; readonly error: Error }): void;
  /**
   * Sends one OffsetCommit request under the current generation. Set before each join. Rejects with the broker's error,
   * named in its `type`. The `commitOffsets` of kafkajs retries under any later generation instead, and stops the
   * consumer for good on ILLEGAL_GENERATION. github.com/tulios/kafkajs/issues/1712
   */
  commit?: (offsets: OffsetCommit) => Promise<void>;
  /** Asks one broker about topics. Set before each join. Resolves to undefined with brokers older than 2.8. */
  topicStates?: (topics: readonly string[]) => Promise<TopicStates | undefined>;
}

const hooksKey: unique symbol = Symbol('consumer hooks');

interface Hooked {
  readonly [hooksKey]?: ConsumerHooks;
}

/**
 * Ties the hooks to one consumer. The factory of its assignor receives the consumer's own cluster, and the hooks are
 * stored on that cluster.
 */
export function withHooks(hooks: ConsumerHooks, createAssignor: PartitionAssigner): PartitionAssigner {
  return (context) => {
    Object.assign(context.cluster, { [hooksKey]: hooks } satisfies Hooked);
    return createAssignor(context);
  };
}

export function hooksOf(cluster: Cluster & Hooked): ConsumerHooks | undefined {
  return cluster[hooksKey];
}
