import type { RequestQueue } from './internals.ts';

const shortestDelayMs = 10;

/**
 * The queue looks again when the broker's throttling ends, and only while requests wait. It set a timer after every
 * response, with a negative delay, which Node 24 warns about.
 * github.com/tulios/kafkajs/issues/1751
 */
export function repairRequestQueueTimer(requestQueue: RequestQueue): void {
  requestQueue.scheduleCheckPendingRequests = scheduleOnce;
}

function scheduleOnce(this: RequestQueue): void {
  if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
  const delayMs = Math.max(this.throttledUntil - Date.now(), shortestDelayMs);
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, delayMs);
}
