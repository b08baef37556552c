import type { MonotonicClock } from '../../../lib/clock.ts';
import type { TopicPartition } from '../../client/consumer.ts';
import type { FetchPlan, FetchPlans } from '../group-state.ts';
import type { ConsumerGroup, OffsetManager, PartitionData } from '../internals.ts';

/**
 * Returns the plan that holds for a broker. It does until the metadata, the assignment or the paused partitions change.
 *
 * kafkajs finds these partitions again for each fetch, and copies, sorts and searches its lists for it: 30 KB of heap with
 * twelve of them.
 */
export function planThatHolds(
  { cluster: { brokerPool }, offsetManager }: ConsumerGroup,
  plan: FetchPlan | undefined,
  clock: MonotonicClock,
): FetchPlan | undefined {
  const { metadata, metadataExpireAt } = brokerPool;
  const isFresh = metadataExpireAt !== null && clock.monotonic() <= metadataExpireAt;
  return isFresh && plan?.metadata === metadata && plan?.offsetManager === offsetManager ? plan : undefined;
}

/** Makes and keeps a plan, after what kafkajs does before a fetch. Undefined before the first join. */
export async function makePlan(
  group: ConsumerGroup,
  nodeId: string,
  plans: FetchPlans,
): Promise<FetchPlan | undefined> {
  const { cluster, subscriptionState, maxBytesPerPartition: maxBytes } = group;
  await cluster.refreshMetadataIfNecessary();
  group.checkForStaleAssignment();
  const { offsetManager } = group;
  if (offsetManager === null) return undefined;
  const { metadata } = cluster.brokerPool;
  const assigned = group.filterPartitionsByNode(nodeId, subscriptionState.assigned());
  await group.seekOffsets(assigned);
  const partitions = assigned
    .flatMap(({ topic, partitions: ids }) => ids.map((partition) => ({ topic, partition, fetchOffset: 0, maxBytes })))
    .filter(
      (one) => !subscriptionState.isPaused(one.topic, one.partition) && offsetOf(offsetManager, one) !== undefined,
    );
  const plan = { metadata, offsetManager, partitions, assigned, isOnePaused: subscriptionState.paused().length > 0 };
  // Without a wait, after which it would be an old one.
  plans.set(nodeId, plan);
  return plan;
}

/** Sets the offsets from which the partitions are read on. */
export function readOn({ partitions, offsetManager }: FetchPlan): void {
  for (const asked of partitions) asked.fetchOffset = offsetOf(offsetManager, asked) ?? 0;
}

/** Keeps to another broker that was named for a partition, for as long as kafkajs keeps to its metadata. */
export function preferReplica(
  group: ConsumerGroup,
  { asked: { topic, partition }, preferredReadReplica: nodeId }: PartitionData,
  plans: FetchPlans,
  clock: MonotonicClock,
): void {
  const replicas = (group.preferredReadReplicasPerTopicPartition[topic] ??= {});
  replicas[partition] = { nodeId, expireAt: clock.monotonic() + group.metadataMaxAge };
  plans.clear();
}

/** Returns the next offset to read. Undefined if the offset to begin at is not known. */
function offsetOf(manager: OffsetManager, { topic, partition }: TopicPartition): number | undefined {
  const committed = manager.committedOffsets()[topic]?.[partition];
  if (committed === undefined) return undefined;
  return Math.max(0, Number(manager.resolvedOffsets[topic]?.[partition] ?? committed));
}
