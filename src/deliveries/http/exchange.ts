import type { Clock } from '../../lib/clock.ts';
import type { InFlight, PreparedRequest } from '../attempts.ts';
import type { RequestOutcome } from '../outcome.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { classify } from './classify.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { RequestError } from './request-error.ts';
import type { ResponseHead } from './response/response-reader.ts';

interface ExchangeOptions {
  readonly request: PreparedRequest;
  /** Called if the endpoint exceeds a limit after a head that settled the delivery. */
  readonly onExceeded: (() => void) | undefined;
  readonly pool: ConnectionPool;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Sends one request on an idle or a new connection, and resolves to its outcome within one deadline. */
export class Exchange implements InFlight {
  /** Resolves to the outcome, never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /** Resolves once its connection is free or closed, which may be after the outcome. Never rejects. */
  readonly finished: Promise<void>;

  readonly #request: PreparedRequest;
  readonly #onExceeded: (() => void) | undefined;
  readonly #pool: ConnectionPool;
  readonly #clock: Clock;
  readonly #outcome = Promise.withResolvers<RequestOutcome>();
  readonly #deadline: Disposable;
  #settled = false;
  /** The connection attempt or the response that is being waited for. */
  #current: { abort(): void } | undefined;

  constructor({ request, onExceeded, pool, timeoutMs, clock }: ExchangeOptions) {
    this.outcome = this.#outcome.promise;
    this.#request = request;
    this.#onExceeded = onExceeded;
    this.#pool = pool;
    this.#clock = clock;
    this.#deadline = clock.after(timeoutMs, () =>
      this.#endWith({ kind: 'timeout', message: `no response within ${timeoutMs} ms` }),
    );
    this.finished = this.#run();
  }

  abort(): void {
    this.#endWith({ kind: 'draining' });
  }

  async #run(): Promise<void> {
    try {
      const idle = this.#pool.take(this.#request.head.origin);
      if (idle === undefined || !(await this.#sendOnIdle(idle))) await this.#sendOn(await this.#open());
    } catch (error) {
      this.#settle(classify(error));
    }
  }

  /** Resolves to false when the server had given the connection up before the request came. A new one is then tried. */
  async #sendOnIdle(connection: Connection): Promise<boolean> {
    try {
      return await this.#sendOn(connection, wasGivenUp);
    } catch (error) {
      if (this.#settled || !isLostBeforeResponse(error)) throw error;
      return false;
    }
  }

  #open(): Promise<Connection> {
    const opening = new AbortController();
    this.#current = opening;
    return this.#pool.open(this.#request.head.origin, opening.signal);
  }

  /** Resolves to false when `isIgnored` is true for the response. Its connection is then closed. */
  async #sendOn(connection: Connection, isIgnored: (head: ResponseHead) => boolean = () => false): Promise<boolean> {
    if (this.#settled) {
      connection.close();
      return true;
    }
    const response = connection.post(this.#request);
    this.#current = response;
    const head = await response.head;
    if (isIgnored(head) && !this.#settled) {
      connection.close();
      return false;
    }
    // The connection is released before the outcome is known, because the next request may follow at once.
    const released = this.#pool.release(connection, response);
    const outcome = outcomeOf(head, this.#clock.now());
    this.#settle(outcome);
    await released;
    if (outcome.kind === 'delivered' && connection.hasExceeded) this.#onExceeded?.();
    return true;
  }

  #endWith(outcome: RequestOutcome): void {
    this.#settle(outcome);
    this.#current?.abort();
  }

  /** Sets the outcome. Later calls change nothing. */
  #settle(outcome: RequestOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadline[Symbol.dispose]();
    this.#outcome.resolve(outcome);
  }
}

function outcomeOf({ status, retryAfter, date }: ResponseHead, now: number): RequestOutcome {
  if (status < 300) return { kind: 'delivered', status };
  const retryAfterMs = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now, date);
  return { kind: 'http_error', status, retryAfterMs };
}

/**
 * Returns true if nothing that was received answers the request. Bytes that begin no response belong to the one before, such
 * as a body after a 204.
 */
function isLostBeforeResponse(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.phase !== 'request') return false;
  return error.code === 'NO_STATUS_LINE' || classify(error).kind === 'connection_lost';
}

/** Returns true for the response with which a server closes an idle connection (RFC 9110, 15.5.9). */
function wasGivenUp({ status, closes }: ResponseHead): boolean {
  return status === 408 && closes;
}
