import { Backoff } from '../../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../../lib/clock.ts';
import type { SearchCoordinator } from './coordinator-search.ts';
import { kafkaErrorType, isCoordinatorError, isNetworkError, isRejoinError } from '../../client/faults.ts';
import type { Cluster, ConsumerGroup } from '../internals.ts';

/**
 * Pauses only the fetcher of a broker that can't be reached.
 *
 * In kafkajs one such error stops all fetchers. The library also never resets its count of retries, so a few errors in a
 * month crashed the consumer. Here the fetcher waits and returns no batches. The broker is dropped, which also expires
 * the metadata. Otherwise a broker that does not answer would keep its partitions until the next refresh.
 * github.com/tulios/kafkajs/issues/1691
 *
 * A topic that may not be read any more is confined as well, for some seconds. By then its partitions are paused.
 */
export function confineFetchFaults(
  consumerGroup: ConsumerGroup,
  search: SearchCoordinator,
  clock: MonotonicClock,
): void {
  const { fetch } = consumerGroup;
  const faultsOf = new WeakMap<ConsumerGroup, Map<string, NodeFaults>>();
  consumerGroup.fetch = async function fetchOrPause(this: ConsumerGroup, nodeId) {
    const byNode = faultsOf.get(this) ?? new Map<string, NodeFaults>();
    faultsOf.set(this, byNode);
    try {
      const batches = await fetch.call(this, nodeId);
      byNode.delete(nodeId);
      return batches;
    } catch (error) {
      const faults = byNode.get(nodeId) ?? { backoff: new Backoff({ firstMs: 250, longestMs: 2_000 }), denials: 0 };
      byNode.set(nodeId, faults);
      if (kafkaErrorType(error) === 'TOPIC_AUTHORIZATION_FAILED') faults.denials += 1;
      else if (isConfined(error)) handleFault(this, nodeId, error, search);
      else throw error;
      if (faults.denials > maxDenials) throw error;
      await sleep(clock, faults.backoff.next());
      return [];
    }
  };
}

/** Denials in a row after which the consumer restarts without the topic. About 6 s with their pauses. */
const maxDenials = 5;

interface NodeFaults {
  readonly backoff: Backoff;
  denials: number;
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
