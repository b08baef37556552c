import type { Runner } from './internals.ts';

/** Thrown to end a fetcher whose consumer is stopped. */
export class ConsumerStoppedError extends Error {
  override readonly name = 'ConsumerStoppedError';
}

/**
 * Ends the fetchers of a stopped consumer.
 *
 * kafkajs replaces its fetchers when brokers come or go, even after it has asked the current ones to stop. The new ones
 * are never stopped. They got empty answers without any wait and kept the event loop busy for ever. The process did not
 * even react to signals. Here a fetch after the stop throws.
 */
export function endFetchersOfStopped(runner: Runner): void {
  const { fetch } = runner;
  runner.fetch = async function fetchUnlessStopped(this: Runner, nodeId) {
    if (!this.running) throw new ConsumerStoppedError('the consumer is stopped');
    return fetch.call(this, nodeId);
  };
}
