import { isRejoinError } from '../faults.ts';
import type { StateOf } from '../group-state.ts';
import type { Batch, ConsumerGroup, KafkajsInternals, OffsetManager, Runner } from '../internals.ts';

/**
 * Drops batches that were fetched under an earlier generation.
 *
 * - kafkajs handles a batch that was queued during a rejoin. Its position belongs to an offset manager that is gone. At
 *   best that is a TypeError, which stops the consumer for good. At worst it commits past unsettled records.
 *   github.com/tulios/kafkajs/issues/1366, github.com/tulios/kafkajs/issues/558
 * - kafkajs handles all queued batches before it rejoins, with a failing heartbeat after each. Here they are dropped as
 *   soon as the coordinator asks for a rejoin. github.com/tulios/kafkajs/issues/1720
 */
export function dropStaleBatches({ consumerGroup, runner }: StaleInternals, stateOf: StateOf): void {
  const fetchedUnder = new WeakMap<Batch, OffsetManager>();
  markFetched(consumerGroup, stateOf, fetchedUnder);
  handleFresh(runner, stateOf, fetchedUnder);
  rememberRejoin(consumerGroup, stateOf);
}

type StaleInternals = Pick<KafkajsInternals, 'consumerGroup' | 'runner'>;

function markFetched(
  consumerGroup: ConsumerGroup,
  stateOf: StateOf,
  fetchedUnder: WeakMap<Batch, OffsetManager>,
): void {
  const { fetch } = consumerGroup;
  consumerGroup.fetch = async function fetchMarked(this: ConsumerGroup, nodeId) {
    const { rejoin } = stateOf(this);
    if (rejoin !== undefined) throw rejoin;
    const { offsetManager } = this;
    // Empty batches are dropped here. kafkajs spends a worker, a heartbeat and two events on each of them.
    const batches = (await fetch.call(this, nodeId)).filter(({ rawMessages }) => rawMessages.length > 0);
    if (offsetManager !== null) for (const batch of batches) fetchedUnder.set(batch, offsetManager);
    return batches;
  };
}

function handleFresh(runner: Runner, stateOf: StateOf, fetchedUnder: WeakMap<Batch, OffsetManager>): void {
  const { handleBatch } = runner;
  runner.handleBatch = async function handleUnlessStale(this: Runner, batch) {
    const { rejoin, joining } = stateOf(this.consumerGroup);
    if (rejoin !== undefined) throw rejoin;
    if (joining !== undefined || this.consumerGroup.offsetManager !== fetchedUnder.get(batch)) return;
    await handleBatch.call(this, batch);
  };
}

function rememberRejoin(consumerGroup: ConsumerGroup, stateOf: StateOf): void {
  const { heartbeat } = consumerGroup;
  consumerGroup.heartbeat = async function heartbeatAndRemember(this: ConsumerGroup, options) {
    try {
      await heartbeat.call(this, options);
    } catch (error) {
      if (error instanceof Error && isRejoinError(error)) stateOf(this).rejoin = error;
      throw error;
    }
  };
}
