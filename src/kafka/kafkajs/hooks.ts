import type { Cluster, PartitionAssigner } from 'kafkajs';
import type { OffsetCommit } from './internals.ts';
import type { TopicIds } from './topic-ids.ts';

/** What a consumer hears of its kafkajs consumer that kafkajs does not tell. */
export interface ConsumerHooks {
  /**
   * Awaited before each join but the first. `kicked`: the group has dropped us already, so commits would be refused.
   * What it rejects with fails the join.
   */
  beforeRejoin(rejoin: { readonly kicked: boolean }): Promise<void>;
  /**
   * The offset to fetch from was not in the log: reading goes on at its earliest record, `to`. Nothing is committed.
   * `to` is below `from` when the log is younger than the offset.
   */
  offsetReset(reset: {
    readonly topic: string;
    readonly partition: number;
    readonly from: number;
    readonly to: number;
  }): void;
  /** What a partition has from this offset on can't be decoded. It is fetched again at once, unless it is paused. */
  unreadable?(unreadable: {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
    readonly error: Error;
  }): void;
  /**
   * Set before each join. One OffsetCommit request under the generation at hand when it is called; rejects with what
   * the broker said, in its `type`. kafkajs's own `commitOffsets` instead tries again under whatever generation came
   * since, and ends the consumer for good on ILLEGAL_GENERATION (github.com/tulios/kafkajs/issues/1712).
   */
  commit?: (offsets: OffsetCommit) => Promise<void>;
  /** Set before each join: the ids by which a topic is told from an earlier one of its name, where brokers tell them. */
  topicIds?: (topics: readonly string[]) => Promise<TopicIds | undefined>;
}

const hooksKey: unique symbol = Symbol('consumer hooks');

interface Hooked {
  readonly [hooksKey]?: ConsumerHooks;
}

/** An assigner's factory is handed its consumer's own cluster: what ties the hooks to that consumer, and to no other. */
export function withHooks(hooks: ConsumerHooks, createAssigner: PartitionAssigner): PartitionAssigner {
  return (context) => {
    Object.assign(context.cluster, { [hooksKey]: hooks } satisfies Hooked);
    return createAssigner(context);
  };
}

export function hooksOf(cluster: Cluster & Hooked): ConsumerHooks | undefined {
  return cluster[hooksKey];
}
