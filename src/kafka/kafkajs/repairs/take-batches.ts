import { isRejoinError } from '../../client/faults.ts';
import { type GroupState, type StateOf, hooksOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/**
 * Hands the batches of each fetch to the consumer's hook at once, unless they were fetched under an earlier generation.
 * kafkajs gets none of them.
 *
 * - kafkajs handles a batch that was queued during a rejoin. Its position belongs to an offset manager that is gone. At
 *   best that is a TypeError, which stops the consumer for good. At worst it commits past unsettled records.
 *   github.com/tulios/kafkajs/issues/1366, github.com/tulios/kafkajs/issues/558
 * - kafkajs handles all queued batches before it rejoins, with a failing heartbeat after each. Here they are dropped as
 *   soon as the coordinator asks for a rejoin. github.com/tulios/kafkajs/issues/1720
 * - kafkajs spends about 40 promises, a heartbeat and two events on each batch, which often has a single record.
 */
export function takeBatches(consumerGroup: ConsumerGroup, stateOf: StateOf): void {
  const { fetch, heartbeat } = consumerGroup;
  consumerGroup.fetch = async function fetchAndTake(this: ConsumerGroup, nodeId) {
    const state = stateOf(this);
    throwIfRejoining(state);
    const { offsetManager } = this;
    const batches = await fetch.call(this, nodeId);
    const hooks = hooksOf(this.cluster);
    if (hooks?.takeBatch === undefined) return batches;
    throwIfRejoining(state);
    const isStale = state.joining !== undefined || state.stopping || this.offsetManager !== offsetManager;
    for (const batch of isStale ? [] : batches) {
      if (batch.rawMessages.length === 0) continue;
      const { topic, partition } = batch;
      const offset = hooks.takeBatch(batch);
      if (offset !== undefined) this.resolveOffset({ topic, partition, offset });
    }
    return [];
  };
  consumerGroup.heartbeat = async function heartbeatAndRemember(this: ConsumerGroup, options) {
    try {
      await heartbeat.call(this, options);
    } catch (error) {
      if (error instanceof Error && isRejoinError(error)) stateOf(this).rejoin = error;
      throw error;
    }
  };
}

function throwIfRejoining({ rejoin }: GroupState): void {
  if (rejoin !== undefined) throw rejoin;
}
