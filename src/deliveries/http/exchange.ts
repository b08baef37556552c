import type { WallClock } from '../../lib/clock.ts';
import type { Deadline, Deadlines, Expiring } from '../../lib/deadlines.ts';
import type { SwapList } from '../../lib/swap-list.ts';
import type { InFlight, PreparedRequest } from '../attempts.ts';
import type { RequestOutcome } from '../outcome.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { classify } from './classify.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { RequestError } from './request-error.ts';
import type { ResponseHead, ResponseReader } from './response/response-reader.ts';

/** The parts that the exchanges of one client share. */
export interface ExchangeContext {
  readonly pool: ConnectionPool;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** The exchanges that are not finished. */
  readonly running: SwapList<Exchange>;
  readonly clock: WallClock;
}

/** Sends one request on an idle or a new connection, and resolves to its outcome within one deadline. */
export class Exchange implements InFlight, Expiring {
  /** Resolves to the outcome, never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /** Resolves once its connection is free or closed, which may be after the outcome. Never rejects. */
  readonly finished: Promise<void>;

  readonly #request: PreparedRequest;
  readonly #onExceeded: () => void;
  readonly #context: ExchangeContext;
  readonly #deadline: Deadline;
  readonly #outcome = Promise.withResolvers<RequestOutcome>();
  #settled = false;
  /** The connection attempt or the response that is being waited for. */
  #current: { abort(): void } | undefined;

  /** `onExceeded` is called if the endpoint exceeds a limit after a head that settled the delivery. */
  constructor(request: PreparedRequest, onExceeded: (() => void) | undefined, context: ExchangeContext) {
    this.outcome = this.#outcome.promise;
    this.#request = request;
    this.#onExceeded = onExceeded ?? nothing;
    this.#context = context;
    this.#deadline = context.deadlines.add(this);
    this.finished = this.#run();
  }

  abort(): void {
    this.#endWith({ kind: 'draining' });
  }

  expire(): void {
    this.#endWith({ kind: 'timeout', message: `no response within ${this.#context.timeoutMs} ms` });
  }

  async #run(): Promise<void> {
    const { pool, running } = this.#context;
    const entry = running.add(this);
    try {
      const idle = pool.take(this.#request.head.origin);
      if (idle === undefined || !(await this.#sendOn(idle, { isIdle: true }))) await this.#sendOnNew();
    } catch (error) {
      this.#settle(classify(error));
    }
    running.delete(entry);
  }

  async #sendOnNew(): Promise<void> {
    const connection = await this.#open();
    if (this.#settled) connection.close();
    else await this.#sendOn(connection, { isIdle: false });
  }

  #open(): Promise<Connection> {
    const opening = new AbortController();
    this.#current = opening;
    return this.#context.pool.open(this.#request.head.origin, opening.signal);
  }

  /** Resolves to false when the server had given the idle connection up before the request came. A new one is then tried. */
  async #sendOn(connection: Connection, { isIdle }: { readonly isIdle: boolean }): Promise<boolean> {
    const response = connection.post(this.#request);
    this.#current = response;
    let head: ResponseHead;
    try {
      head = await response.head;
    } catch (error) {
      if (this.#mayRepeat(isIdle) && isLostBeforeResponse(error)) return false;
      throw error;
    }
    if (this.#mayRepeat(isIdle) && wasGivenUp(head)) {
      connection.close();
      return false;
    }
    const released = this.#settleBy(head, connection, response);
    if (released !== undefined) await released;
    if (isAccepted(head) && connection.hasExceeded) this.#onExceeded();
    return true;
  }

  #mayRepeat(wasIdle: boolean): boolean {
    return wasIdle && !this.#settled;
  }

  /** Releases the connection before the outcome is known, because the next request may follow at once. */
  #settleBy(head: ResponseHead, connection: Connection, response: ResponseReader): Promise<void> | undefined {
    const { pool, clock } = this.#context;
    const released = pool.release(connection, response);
    this.#settle(outcomeOf(head, clock.now()));
    return released;
  }

  #endWith(outcome: RequestOutcome): void {
    this.#settle(outcome);
    this.#current?.abort();
  }

  /** Sets the outcome. Later calls change nothing. */
  #settle(outcome: RequestOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#context.deadlines.remove(this.#deadline);
    this.#outcome.resolve(outcome);
  }
}

const nothing = (): void => undefined;

function isAccepted({ status }: ResponseHead): boolean {
  return status < 300;
}

function outcomeOf(head: ResponseHead, now: number): RequestOutcome {
  const { status, retryAfter, date } = head;
  if (isAccepted(head)) return { kind: 'delivered', status };
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
