import type { Cluster, Runner } from '../internals.ts';

/** Thrown to end a fetcher whose consumer is stopped. */
export class ConsumerStoppedError extends Error {
  override readonly name = 'ConsumerStoppedError';
}

/**
 * Ends the fetchers of a stopped consumer, and the fetches that they wait for.
 *
 * kafkajs replaces its fetchers when brokers come or go, even after it has asked the current ones to stop. The new ones
 * are never stopped. They got empty answers without any wait and kept the event loop busy for ever. The process did not
 * even react to signals. Here a fetch after the stop throws.
 *
 * A stop of kafkajs also waits for the fetches in flight before it leaves the group. Brokers hold them for seconds while
 * there are no records.
 */
export function endFetchersOfStopped(runner: Runner): void {
  const { fetch, stop } = runner;
  runner.fetch = async function fetchUnlessStopped(this: Runner, nodeId) {
    if (!this.running) throw new ConsumerStoppedError('the consumer is stopped');
    try {
      return await fetch.call(this, nodeId);
    } catch (error) {
      if (error instanceof ConsumerStoppedError) return [];
      throw error;
    }
  };
  runner.stop = function stopAndEndFetches(this: Runner) {
    const stopped = stop.call(this);
    endFetches(this.consumerGroup.cluster);
    return stopped;
  };
}

/** Rejects the fetches in flight. A broker may still answer them, and the client ignores that. */
export function endFetches({ brokerPool }: Pick<Cluster, 'brokerPool'>): void {
  for (const { connectionPool } of Object.values(brokerPool.brokers)) {
    const [, { requestQueue }] = connectionPool.pool;
    requestQueue.rejectAll(new ConsumerStoppedError('the consumer is stopped'));
  }
}
