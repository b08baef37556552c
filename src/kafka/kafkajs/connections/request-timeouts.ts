import type { MonotonicClock } from '../../../lib/clock.ts';
import type { RequestQueue } from '../internals.ts';

/** Interval in ms of the check. A request ends by this much after its timeout, which is 5 s or more. */
const checkEveryMs = 1_000;

/**
 * Ends the requests that no broker answers in time, with one timer for all connections.
 *
 * kafkajs sets a timer for each connection, which fires ten times a second for as long as it is open. With one broker,
 * those were 80 of the 90 timers that fired in a second while the service had nothing to do.
 */
export function checkTimeoutsTogether(requestQueue: RequestQueue, clock: MonotonicClock): void {
  const { destroy } = requestQueue;
  const open = new Set<RequestQueue>();
  let timer: Disposable | undefined;
  const check = (): void => {
    timer = undefined;
    const now = clock.monotonic();
    for (const queue of open) {
      expire(queue, now);
      if (!queue.isConnected()) queue.destroy();
    }
    schedule();
  };
  const schedule = (): void => {
    if (open.size > 0) timer ??= clock.after(checkEveryMs, check);
  };
  requestQueue.scheduleRequestTimeoutCheck = function checkWithOthers(this: RequestQueue) {
    open.add(this);
    schedule();
  };
  requestQueue.destroy = function leaveCheck(this: RequestQueue) {
    destroy.call(this);
    open.delete(this);
    if (open.size > 0) return;
    timer?.[Symbol.dispose]();
    timer = undefined;
  };
}

function expire({ inflight }: RequestQueue, now: number): void {
  for (const request of inflight.values()) {
    if (now - request.sentAt > request.requestTimeout) request.timeoutRequest();
  }
}
