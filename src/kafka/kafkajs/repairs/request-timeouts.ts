import type { MonotonicClock } from '../../../lib/clock.ts';
import type { Connection, KafkajsInternals, RequestQueue } from '../internals.ts';

/** Interval in ms of the check. A request ends by this much after its timeout, which is 5 s or more. */
const checkEveryMs = 1_000;

/**
 * Ends the requests that no broker answers in time, and closes their connections, so that the next request opens another.
 * One timer serves all connections.
 *
 * kafkajs keeps such a connection. A NAT or a load balancer that has forgotten one tells neither side, so every later
 * request on it timed out, too. Kafka's own client closes it as well (`NetworkClient.handleTimedOutRequests`).
 * kafkajs also sets a timer for each connection, which fires ten times a second for as long as it is open. With one
 * broker, those were 80 of the 90 timers that fired in a second while the service had nothing to do.
 *
 * To a broker older than `SaslAuthenticate`, kafkajs sends a login outside of its queue. Without an answer it waited for ever,
 * even if the connection was reset. Such a login ends with its socket, which a timer of its own closes.
 *
 * A check that comes late tells of a stall of this process. The answers may wait in the sockets, so the next one judges, late
 * or not.
 */
export function closeUnanswered(
  { connection, requestQueue }: Pick<KafkajsInternals, 'connection' | 'requestQueue'>,
  clock: MonotonicClock,
): void {
  const { connect, sendAuthRequest } = connection;
  const { destroy } = requestQueue;
  const open = new Set<RequestQueue>();
  const connections = new WeakMap<RequestQueue, Connection>();
  let timer: Disposable | undefined;
  let hasPassed = false;
  const check = (dueAt: number): void => {
    timer = undefined;
    const now = clock.monotonic();
    hasPassed = now - dueAt >= checkEveryMs && !hasPassed;
    for (const queue of open) {
      if (!hasPassed && expire(queue, now)) connections.get(queue)?.socket?.destroy(unanswered());
      if (!queue.isConnected()) queue.destroy();
    }
    schedule();
  };
  const schedule = (): void => {
    const dueAt = clock.monotonic() + checkEveryMs;
    if (open.size > 0) timer ??= clock.after(checkEveryMs, () => check(dueAt));
  };
  connection.connect = function rememberQueue(this: Connection) {
    connections.set(this.requestQueue, this);
    return connect.call(this);
  };
  connection.sendAuthRequest = async function endWithSocket(this: Connection, token) {
    const { socket } = this;
    using _timer = clock.after(this.requestTimeout, () => socket?.destroy(unanswered()));
    const closed = new Promise((_, reject) => socket?.once('close', () => reject(unanswered())));
    return await Promise.race([sendAuthRequest.call(this, token), closed]);
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

/** Rejects the requests whose time is up. Returns true if there was one. */
function expire({ inflight }: RequestQueue, now: number): boolean {
  const late = [...inflight.values()].filter(({ sentAt, requestTimeout }) => now - sentAt > requestTimeout);
  for (const request of late) request.timeoutRequest();
  return late.length > 0;
}

function unanswered(): Error {
  return new Error('the broker did not answer in time');
}
