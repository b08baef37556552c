import type { RequestQueue } from '../internals.ts';

/** Bounds the rate of checks while requests wait and the broker does not throttle. */
const shortestDelayMs = 10;

/**
 * Checks the queue again when the broker's throttling ends, and only while requests wait. `now` is the clock that the
 * queue uses.
 *
 * kafkajs sets a timer after every response, with a negative delay. Node 24 warns about each of them.
 * github.com/tulios/kafkajs/issues/1751
 */
export function repairRequestQueueTimer(requestQueue: RequestQueue, now: () => number): void {
  requestQueue.scheduleCheckPendingRequests = function scheduleOnce(this: RequestQueue) {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const delayMs = Math.max(this.throttledUntil - now(), shortestDelayMs);
    this.throttleCheckTimeoutId = setTimeout(() => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    }, delayMs);
  };
}
