import type { Runner } from './internals.ts';

/** A fetcher asked for records of a consumer that is stopped, and is to end. */
export class ConsumerStoppedError extends Error {
  override readonly name = 'ConsumerStoppedError';
}

/**
 * A fetcher of a consumer that is stopped ends. kafkajs makes its fetchers anew when brokers come or go, also after the
 * ones at hand were told to stop: the new ones were never told, got empty answers without any wait in between, and kept
 * the event loop busy for ever, so that not even a signal was heard.
 */
export function endFetchersOfStopped(runner: Runner): void {
  const { fetch } = runner;
  runner.fetch = async function fetchUnlessStopped(this: Runner, nodeId) {
    if (!this.running) throw new ConsumerStoppedError('the consumer is stopped');
    return fetch.call(this, nodeId);
  };
}
