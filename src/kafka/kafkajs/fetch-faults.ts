import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { SearchCoordinator } from './coordinator-search.ts';
import { isCoordinatorError, isNetworkError, isRejoinError } from './faults.ts';
import type { Cluster, ConsumerGroup } from './internals.ts';

/**
 * A broker that can't be reached costs its own fetcher a pause. It stopped all fetchers, and since kafkajs counts its
 * retries over the life of a consumer, a few such errors in a month crashed it. The broker is dropped, which also
 * expires the metadata: one that hangs would otherwise keep its partitions until they are refreshed.
 * github.com/tulios/kafkajs/issues/1691
 */
export function confineFetchFaults(consumerGroup: ConsumerGroup, search: SearchCoordinator, clock: Clock): void {
  const { fetch } = consumerGroup;
  const backoffs = new WeakMap<ConsumerGroup, Map<string, Backoff>>();
  consumerGroup.fetch = async function fetchOrPause(this: ConsumerGroup, nodeId) {
    const byNode = backoffs.get(this) ?? new Map<string, Backoff>();
    const backoff = byNode.get(nodeId) ?? new Backoff({ firstMs: 250, longestMs: 2_000 });
    backoffs.set(this, byNode.set(nodeId, backoff));
    try {
      const batches = await fetch.call(this, nodeId);
      backoff.reset();
      return batches;
    } catch (error) {
      if (!isConfined(error)) throw error;
      answerFault(this, nodeId, error, search);
      await sleep(clock, backoff.next());
      return [];
    }
  };
}

function isConfined(error: unknown): boolean {
  return !isRejoinError(error) && (isCoordinatorError(error) || isNetworkError(error));
}

function answerFault(group: ConsumerGroup, nodeId: string, error: unknown, search: SearchCoordinator): void {
  if (!isCoordinatorError(error)) dropBroker(group.cluster, nodeId);
  if (isCoordinatorError(error) || group.coordinator?.isConnected() !== true) search(group);
}

/** The last one stays: without any broker kafkajs has nobody to ask for the others. */
function dropBroker(cluster: Cluster, nodeId: string): void {
  const { brokers } = cluster.brokerPool;
  const broker = brokers[nodeId];
  if (broker === undefined || Object.keys(brokers).length <= 1) return;
  const { host, port } = broker.connectionPool;
  cluster.removeBroker({ host, port });
  // Its requests end by their own timeouts, for which nobody has to wait.
  broker.disconnect().catch(() => undefined);
}
