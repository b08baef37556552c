import type { InFlight, PreparedRequest, RequestListener } from '../deliveries/request.ts';
import { sleep, type Clock } from '../lib/clock.ts';
import { Expiring, type Deadlines } from '../lib/deadlines.ts';
import type { SwapList, SwapListEntry } from '../lib/swap-list.ts';
import type { RequestOutcome } from '../deliveries/outcome.ts';
import { parseRetryAfter } from './retry-after.ts';
import { classify } from './classify.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { RequestError } from './request-error.ts';
import type { ResponseHead, ResponseListener, ResponseReader } from './response/response-reader.ts';
import type { AcquiredConnection } from './waiting-requests.ts';

/** The parts that the exchanges of one client share. */
export interface ExchangeContext {
  readonly pool: ConnectionPool;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  readonly running: SwapList<Exchange>;
  readonly clock: Clock;
}

type Acquire = (waiting: AbortController) => Promise<AcquiredConnection> | AcquiredConnection;

/**
 * Sends one request on an idle or a new connection, and reports its outcome within one deadline. Listens to the response
 * itself: a promise for each of its steps would cost more memory than the request.
 */
export class Exchange extends Expiring implements InFlight, ResponseListener {
  readonly #request: PreparedRequest;
  readonly #listener: RequestListener;
  readonly #context: ExchangeContext;
  readonly #listed: SwapListEntry<Exchange>;
  #settled = false;
  #connection: Connection | undefined;
  #isOnReusedConnection = false;
  /** The head that may answer something else. */
  #doubtfulHead: ResponseHead | undefined;
  /** The connection attempt or the response that is being waited for. */
  #current: { abort(): void } | undefined;
  #hasFinished = false;
  /** Undefined unless somebody waits for the end. */
  #finished: PromiseWithResolvers<void> | undefined;

  constructor(request: PreparedRequest, listener: RequestListener, context: ExchangeContext) {
    super();
    this.#request = request;
    this.#listener = listener;
    this.#context = context;
    context.deadlines.add(this);
    this.#listed = context.running.add(this);
    const idle = context.pool.take(request.head.origin);
    const holdMs = idle === undefined ? 0 : this.#holdMs;
    if (idle === undefined) void this.#sendLater(({ signal }) => context.pool.acquire(request.head.origin, signal));
    else if (holdMs > 0) void this.#sendLater(() => ({ connection: idle, isReused: true }), holdMs);
    else this.#sendOn(idle, true);
  }

  /** Resolves once its connection is free or closed, which may be after the outcome. Never rejects. */
  get finished(): Promise<void> {
    if (this.#hasFinished) return Promise.resolve();
    this.#finished ??= Promise.withResolvers();
    return this.#finished.promise;
  }

  abort(): void {
    this.#endWith({ kind: 'draining' });
  }

  expire(): void {
    this.#endWith({ kind: 'timeout', message: `no response within ${this.#context.timeoutMs} ms` });
  }

  onHead(head: ResponseHead, response: ResponseReader): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    if (this.#mayRepeat && mayAnswerOther.has(head.status)) void this.#acceptUnlessClosed(head, connection, response);
    else this.#accept(head, connection, response);
  }

  #accept(head: ResponseHead, connection: Connection, response: ResponseReader): void {
    // The connection is released before the outcome is known, because the next request may follow at once.
    const released = this.#context.pool.release(connection, response);
    this.#settle(outcomeOf(head, this.#context.clock.now()));
    if (released === undefined) this.#finish(isAccepted(head));
    else void released.then(() => this.#finish(isAccepted(head)));
  }

  /**
   * Repeats the request on a new connection if the server closes this one. Servers close in many words, or in none, so that
   * only the end of the connection tells.
   */
  async #acceptUnlessClosed(head: ResponseHead, connection: Connection, response: ResponseReader): Promise<void> {
    this.#doubtfulHead = head;
    this.#current = { abort: () => connection.close() };
    if (!head.closes) await this.#endOf(connection, response);
    const isClosed = head.closes || !(connection.usable || response.wasCut);
    if (!isClosed || !this.#mayRepeat) return this.#accept(head, connection, response);
    this.#doubtfulHead = undefined;
    connection.close();
    if (head.status !== idleTimeout) this.#context.pool.useOnce(connection.origin);
    await this.#repeat();
  }

  /** Waits for the end of the response, and a little for that of its connection. */
  async #endOf(connection: Connection, response: ResponseReader): Promise<void> {
    await response.ended;
    const waiting = new AbortController();
    await Promise.race([connection.closed, sleep(this.#context.clock, closeWaitMs, waiting.signal)]);
    waiting.abort();
  }

  onNoHead(error: RequestError): void {
    if (!this.#mayRepeat || !isLostBeforeResponse(error)) return this.#fail(error);
    if (otherBytes.test(error.code)) this.#context.pool.useOnce(this.#request.head.origin);
    // Otherwise the server had given the idle connection up before the request came.
    void this.#repeat();
  }

  #repeat(): Promise<void> {
    const { pool } = this.#context;
    return this.#sendLater(async (waiting) => ({
      connection: await pool.open(this.#request.head.origin, waiting),
      isReused: false,
    }));
  }

  get #holdMs(): number {
    return this.#listener.holdMs?.() ?? 0;
  }

  /** Sends on the connection once it is there and the time of the request has come, which is asked for then by default. */
  async #sendLater(acquire: Acquire, knownHoldMs?: number): Promise<void> {
    try {
      const waiting = new AbortController();
      this.#current = waiting;
      const { connection, isReused } = await acquire(waiting);
      const holdMs = knownHoldMs ?? this.#holdMs;
      if (holdMs > 0) await sleep(this.#context.clock, holdMs, waiting.signal);
      // The process may have been suspended in that time. Nothing is sent for a partition that another one may have.
      const isOwned = this.#listener.stillOwned?.() ?? true;
      if (!this.#settled && isOwned === true) return this.#sendOn(connection, isReused);
      connection.close();
      this.#settle({ kind: 'draining' });
      this.#finish(false);
    } catch (error) {
      this.#fail(error);
    }
  }

  #sendOn(connection: Connection, isIdle: boolean): void {
    this.#connection = connection;
    this.#isOnReusedConnection = isIdle;
    try {
      this.#current = connection.post(this.#request, this);
    } catch (error) {
      // The listener is never called before the request is known to its sender.
      queueMicrotask(() => this.#fail(error));
    }
  }

  get #mayRepeat(): boolean {
    return this.#isOnReusedConnection && !this.#settled;
  }

  #endWith(outcome: RequestOutcome): void {
    this.#settle(this.#doubtfulHead === undefined ? outcome : outcomeOf(this.#doubtfulHead, this.#context.clock.now()));
    this.#current?.abort();
  }

  #fail(error: unknown): void {
    this.#settle(classify(error));
    this.#finish(false);
  }

  /** Sets the outcome. Later calls change nothing. */
  #settle(outcome: RequestOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#context.deadlines.remove(this);
    this.#listener.onOutcome(outcome);
  }

  #finish(wasAccepted: boolean): void {
    this.#hasFinished = true;
    this.#context.running.delete(this.#listed);
    if (wasAccepted && this.#connection?.hasExceeded === true) this.#listener.onExceeded();
    this.#finished?.resolve();
  }
}

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
  return otherBytes.test(error.code) || classify(error).kind === 'connection_lost';
}

/** The codes of bytes that belong to the response before. */
const otherBytes = /^(NO_STATUS_LINE|EARLY_RESPONSE)$/;

/** The status with which a server closes an idle connection (RFC 9110, 15.5.9). */
const idleTimeout = 408;

/**
 * The statuses with which a server answers what it can't read as a request, such as a body that it has not read for the request
 * before. It closes the connection then.
 */
const mayAnswerOther: ReadonlySet<number> = new Set([400, idleTimeout, 414, 431, 501, 505]);

/** The wait for the end of a connection after such an answer. A server closes right behind it. */
const closeWaitMs = 100;
