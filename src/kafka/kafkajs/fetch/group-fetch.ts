import { isRejoinError } from '../../client/faults.ts';
import { sleep, type MonotonicClock } from '../../../lib/clock.ts';
import type { TopicPartition } from '../../client/consumer.ts';
import { type FetchPlan, type FetchPlans, type GroupState, type StateOf, hooksOf } from '../group-state.ts';
import type { ConsumerGroup, KafkajsInternals, OffsetManager, PartitionData, Runner } from '../internals.ts';
import { connectedBroker } from '../send-frame.ts';
import { afterAnswer, limitsOf, noPace, sleepUnlessResumed, togetherIn } from './fetch-times.ts';
import { readableRecords } from './aborted-records.ts';

/**
 * Fetches for a group from one broker, and hands the records to the consumer's hook at once, unless they were fetched under an
 * earlier generation. kafkajs gets none of them.
 *
 * - kafkajs handles a batch that was queued during a rejoin. Its position belongs to an offset manager that is gone. At
 *   best that is a TypeError, which stops the consumer for good. At worst it commits past unsettled records.
 *   github.com/tulios/kafkajs/issues/1366, github.com/tulios/kafkajs/issues/558
 * - kafkajs handles all queued batches before it rejoins, with a failing heartbeat after each. Here they are dropped as
 *   soon as the coordinator asks for a rejoin. github.com/tulios/kafkajs/issues/1720
 * - kafkajs spends about 40 promises, a heartbeat and two events on each batch, which often has a single record.
 * - kafkajs counts a partition whose records can't be decoded as read. Here it is reported.
 */
export function fetchForGroup(
  { consumerGroup, runner }: Pick<KafkajsInternals, 'consumerGroup' | 'runner'>,
  stateOf: StateOf,
  clock: MonotonicClock,
): void {
  noteCalls(consumerGroup, stateOf, clock);
  heartbeatWhenDue(runner, stateOf, clock);
  consumerGroup.fetch = async function fetchAndHandOver(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    throwIfRejoining(state);
    const { offsetManager } = this;
    const waitMs = togetherIn(state.paces.get(nodeId) ?? noPace, clock.monotonic());
    if (waitMs > 0) await sleep(clock, waitMs);
    const fetcher = { group: this, state, nodeId, clock };
    const answer = await fetch(fetcher).catch(async (error: unknown) => {
      await this.recoverFromFetch(error);
      return undefined;
    });
    throwIfRejoining(state);
    const isStale = state.joining !== undefined || state.stopping || this.offsetManager !== offsetManager;
    if (!isStale) for (const data of answer ?? []) handOver(fetcher, data);
    return [];
  };
}

/** Calls the heartbeat when it is due. kafkajs calls it after each fetch, through five asynchronous functions. */
function heartbeatWhenDue(runner: Runner, stateOf: StateOf, clock: MonotonicClock): void {
  const { heartbeat } = runner;
  runner.heartbeat = function heartbeatIfDue(this: Runner) {
    const { consumerGroup, heartbeatInterval } = this;
    stateOf(consumerGroup).heartbeatIntervalMs = heartbeatInterval;
    const isDue = clock.monotonic() >= consumerGroup.lastRequest + heartbeatInterval;
    return isDue ? heartbeat.call(this) : sent;
  };
}

const sent = Promise.resolve();

/** Notes pauses, resumes and the reason to rejoin, which decide about later fetches. */
function noteCalls(consumerGroup: ConsumerGroup, stateOf: StateOf, clock: MonotonicClock): void {
  const { pause, resume, heartbeat } = consumerGroup;
  consumerGroup.pause = function pauseAndNote(this: ConsumerGroup, topicPartitions) {
    pause.call(this, topicPartitions);
    const state = stateOf(this);
    state.pausedAt = clock.monotonic();
    state.plans.clear();
  };
  consumerGroup.resume = function resumeAndWake(this: ConsumerGroup, topicPartitions) {
    resume.call(this, topicPartitions);
    const { plans, wakers } = stateOf(this);
    plans.clear();
    for (const wake of wakers) wake();
  };
  consumerGroup.heartbeat = async function heartbeatAndNote(this: ConsumerGroup, options) {
    try {
      await heartbeat.call(this, options);
    } catch (error) {
      if (error instanceof Error && isRejoinError(error)) stateOf(this).rejoin = error;
      throw error;
    }
  };
}

interface Fetcher {
  readonly group: ConsumerGroup;
  readonly state: GroupState;
  readonly nodeId: string;
  readonly clock: MonotonicClock;
}

function throwIfRejoining({ rejoin }: GroupState): void {
  if (rejoin !== undefined) throw rejoin;
}

/** Resolves to undefined if there was nothing to fetch for `maxWaitTime`: the broker may have become a leader. */
async function fetch(fetcher: Fetcher): Promise<readonly PartitionData[] | undefined> {
  const { group, state, nodeId, clock } = fetcher;
  const { cluster, maxBytes } = group;
  const plan = planThatHolds(group, state.plans.get(nodeId), clock) ?? (await makePlan(group, nodeId, state.plans));
  if (plan === undefined || plan.partitions.length === 0)
    return (await sleepUnlessResumed(state, group.maxWaitTime, clock)) ? undefined : fetch(fetcher);
  if (group.seekOffset.size > 0) await group.seekOffsets(plan.assigned);
  const broker = await connectedBroker(cluster, nodeId);
  readOn(plan);
  const limits = limitsOf(group, state, plan.isOnePaused, clock.monotonic());
  const answer = await broker.fetchRecords({ ...limits, maxBytes, includesEmpty: false, partitions: plan.partitions });
  const records = answer.reduce((sum, { messages }) => sum + messages.length, 0);
  if (records === 0) return answer;
  state.recordsAt = clock.monotonic();
  state.paces.set(nodeId, afterAnswer(state.paces.get(nodeId), records, state.recordsAt));
  return answer;
}

function handOver({ group, state, clock }: Fetcher, data: PartitionData): void {
  const { asked, highWatermark, messages, unreadable: error } = data;
  const { topic, partition, fetchOffset } = asked;
  if (data.preferredReadReplica >= 0) preferReplica(group, data, state.plans, clock);
  if (isReadElsewhere(group, asked)) return;
  const hooks = hooksOf(group.cluster);
  if (error !== undefined) return hooks?.unreadable?.({ topic, partition, offset: fetchOffset, error });
  if (messages.length === 0) return;
  const lastOffset = (): string => String(Math.max(Number(messages.at(-1)?.offset), fetchOffset));
  const batch = { topic, partition, highWatermark, messages: readableRecords(data), lastOffset };
  const offset = hooks?.takeBatch(batch);
  if (offset !== undefined) group.resolveOffset({ topic, partition, offset });
}

/** Returns true for a partition that was paused since it was asked for, or is to be read from another offset. */
function isReadElsewhere(
  { subscriptionState, seekOffset }: ConsumerGroup,
  { topic, partition }: TopicPartition,
): boolean {
  return subscriptionState.isPaused(topic, partition) || (seekOffset.size > 0 && seekOffset.has(topic, partition));
}

/**
 * Returns the plan that holds for a broker. It does until the metadata, the assignment or the paused partitions change.
 *
 * kafkajs finds these partitions again for each fetch, and copies, sorts and searches its lists for it.
 */
function planThatHolds(
  { cluster: { brokerPool }, offsetManager }: ConsumerGroup,
  plan: FetchPlan | undefined,
  clock: MonotonicClock,
): FetchPlan | undefined {
  const { metadata, metadataExpireAt } = brokerPool;
  const isFresh = metadataExpireAt !== null && clock.monotonic() <= metadataExpireAt;
  return isFresh && plan?.metadata === metadata && plan?.offsetManager === offsetManager ? plan : undefined;
}

/** Makes and keeps a plan, after what kafkajs does before a fetch. Undefined before the first join. */
async function makePlan(group: ConsumerGroup, nodeId: string, plans: FetchPlans): Promise<FetchPlan | undefined> {
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
  // In the turn in which it is made. In the next one, a partition may be paused or resumed.
  plans.set(nodeId, plan);
  return plan;
}

/** Sets the offsets from which the partitions are read on. */
function readOn({ partitions, offsetManager }: FetchPlan): void {
  for (const asked of partitions) asked.fetchOffset = offsetOf(offsetManager, asked) ?? 0;
}

/** Keeps to another broker that was named for a partition, for as long as kafkajs keeps to its metadata. */
function preferReplica(
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
