import type { Clock } from '../../lib/clock.ts';
import type { InFlight, PreparedRequest } from '../attempts.ts';
import type { RequestOutcome } from '../outcome.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { classify } from './classify.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { RequestError } from './request-error.ts';
import type { ResponseHead } from './response-reader.ts';

interface ExchangeOptions {
  readonly request: PreparedRequest;
  readonly pool: ConnectionPool;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** One request from the search for a connection to its outcome, under one deadline. */
export class Exchange implements InFlight {
  /** Never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /** Resolves, always, once its connection is free or closed, which may be after the outcome. */
  readonly finished: Promise<void>;

  readonly #request: PreparedRequest;
  readonly #connections: ConnectionPool;
  readonly #clock: Clock;
  readonly #outcome = Promise.withResolvers<RequestOutcome>();
  readonly #deadline: Disposable;
  #settled = false;
  /** What is being waited for at present. */
  #current: { abort(): void } | undefined;

  constructor({ request, pool: connections, timeoutMs, clock }: ExchangeOptions) {
    this.outcome = this.#outcome.promise;
    this.#request = request;
    this.#connections = connections;
    this.#clock = clock;
    this.#deadline = clock.after(timeoutMs, () =>
      this.#giveUp({ kind: 'timeout', message: `no response within ${timeoutMs} ms` }),
    );
    this.finished = this.#run();
  }

  abort(): void {
    this.#giveUp({ kind: 'draining' });
  }

  async #run(): Promise<void> {
    try {
      const kept = this.#connections.take(this.#request.head.origin);
      if (kept === undefined || !(await this.#askOnKept(kept))) await this.#askOn(await this.#open());
    } catch (error) {
      this.#settle(classify(error));
    }
  }

  /** False when the connection turned out to be closed: that is nobody's failure yet. */
  async #askOnKept(connection: Connection): Promise<boolean> {
    try {
      await this.#askOn(connection);
      return true;
    } catch (error) {
      if (this.#settled || !isClosedBeforeResponse(error)) throw error;
      return false;
    }
  }

  #open(): Promise<Connection> {
    const opening = new AbortController();
    this.#current = opening;
    return this.#connections.open(this.#request.head.origin, opening.signal);
  }

  async #askOn(connection: Connection): Promise<void> {
    if (this.#settled) return connection.close();
    const response = connection.post(this.#request);
    this.#current = response;
    const head = await response.head;
    // Before the outcome is told: whoever hears of it may send the next request here at once.
    const released = this.#connections.release(connection, response);
    this.#settle(outcomeOf(head, this.#clock.now()));
    await released;
  }

  #giveUp(outcome: RequestOutcome): void {
    this.#settle(outcome);
    this.#current?.abort();
  }

  /** The first time counts. */
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

function isClosedBeforeResponse(error: unknown): boolean {
  return error instanceof RequestError && error.phase === 'request' && classify(error).kind === 'connection_lost';
}
