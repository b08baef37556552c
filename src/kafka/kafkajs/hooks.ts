import type { Cluster, PartitionAssigner } from 'kafkajs';
import type { Consumer, ConsumerHooks } from '../client/consumer.ts';

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
