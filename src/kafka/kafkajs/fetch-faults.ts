import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { SearchCoordinator } from './coordinator-search.ts';
import { isCoordinatorError, isNetworkError, isRejoinError } from './faults.ts';
import type { Cluster, ConsumerGroup } from './internals.ts';

/**
 * Pauses only the fetcher of a broker that can't be reached.
 *
 * In kafkajs one such error stops all fetchers. The library also never resets its count of retries, so a few errors in a
 * month crashed the consumer. Here the fetcher waits and returns no batches. The broker is dropped, which also expires
 * the metadata. Otherwise a broker that does not answer would keep its partitions until the next refresh.
 * github.com/tulios/kafkajs/issues/1691
 */
export function confineFetchFaults(
  consumerGroup: ConsumerGroup,
  search: SearchCoordinator,
  clock: MonotonicClock,
): void {
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
      handleFault(this, nodeId, error, search);
      await sleep(clock, backoff.next());
      return [];
    }
  };
}

function isConfined(error: unknown): boolean {
  return !isRejoinError(error) && (isCoordinatorError(error) || isNetworkError(error));
}

function handleFault(group: ConsumerGroup, nodeId: string, error: unknown, search: SearchCoordinator): void {
  if (!isCoordinatorError(error)) dropBroker(group.cluster, nodeId);
  if (isCoordinatorError(error) || group.coordinator?.isConnected() !== true) search(group);
}

/** Removes the broker, except the last one: kafkajs needs a broker to ask for the others. */
function dropBroker(cluster: Cluster, nodeId: string): void {
  const { brokers } = cluster.brokerPool;
  const broker = brokers[nodeId];
  if (broker === undefined || Object.keys(brokers).length <= 1) return;
  const { host, port } = broker.connectionPool;
  cluster.removeBroker({ host, port });
  // The broker's requests end by their own timeouts. Nothing waits for them.
  broker.disconnect().catch(() => undefined);
}
