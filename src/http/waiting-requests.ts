import type { Connection } from './connection.ts';
import { RequestError } from './request-error.ts';

/** A connection for one request. It is reused unless it was opened for a request just now. */
export interface AcquiredConnection {
  readonly connection: Connection;
  readonly isReused: boolean;
}

interface WaitingRequestsOptions {
  readonly open: (origin: string, opening: AbortController) => Promise<Connection>;
  /** Called with a new connection that no request waits for any more. */
  readonly onSurplus: (connection: Connection) => void;
  /** Returns true if a connection to the origin is in use that has served requests before. */
  readonly isServed: (origin: string) => boolean;
}

interface WaitingRequest {
  readonly resolve: (acquired: AcquiredConnection) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests to one origin that wait, the longest waiting first, and the connections that are being opened for them. */
interface OriginQueue {
  readonly waiters: Set<WaitingRequest>;
  readonly openings: Set<AbortController>;
}

/**
 * Requests that wait for a connection. Each gets the one that is there first, be it new or free again.
 *
 * - Each request begins to open a connection, unless one is being opened that no other request needs.
 * - A connection that is free or open goes to the request that waits longest. A surplus one stays, for the next request.
 * - A connection that can't be opened fails the request that waits longest. One that times out does not while a connection
 *   works that has served before: a server with one thread accepts no other. The request then waits until its deadline.
 * - A request that is aborted gives up one opening.
 */
export class WaitingRequests implements AsyncDisposable {
  readonly #options: WaitingRequestsOptions;
  readonly #queues = new Map<string, OriginQueue>();
  /** All that are not over. */
  readonly #openings = new Map<AbortController, Promise<void>>();

  constructor(options: WaitingRequestsOptions) {
    this.#options = options;
  }

  /** Rejects as `open` does, or when the signal is aborted. */
  acquire(origin: string, signal: AbortSignal): Promise<AcquiredConnection> {
    const queue = this.#queues.get(origin) ?? { waiters: new Set(), openings: new Set() };
    this.#queues.set(origin, queue);
    const waiter = Promise.withResolvers<AcquiredConnection>();
    queue.waiters.add(waiter);
    const leave = (): void => {
      if (!queue.waiters.delete(waiter)) return;
      waiter.reject(signal.reason);
      this.#giveUpSurplus(origin, queue);
    };
    signal.addEventListener('abort', leave);
    this.#openOne(origin, queue);
    return waiter.promise;
  }

  /** Gives a connection to the request that waits longest. Returns false if none waits. */
  offer(acquired: AcquiredConnection): boolean {
    const { origin } = acquired.connection;
    const queue = this.#queues.get(origin);
    const [longest] = queue?.waiters ?? [];
    if (queue === undefined || longest === undefined) return false;
    queue.waiters.delete(longest);
    longest.resolve(acquired);
    this.#forgetUnused(origin, queue);
    return true;
  }

  /** Opens a connection for each request that waits without one. Call when a connection was closed. */
  refill(origin: string): void {
    const queue = this.#queues.get(origin);
    if (queue === undefined) return;
    while (this.#openOne(origin, queue));
  }

  /** Gives all openings up, and waits for their end. No request may be waiting. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#openings.keys()) opening.abort();
    await Promise.all(this.#openings.values());
  }

  /** Returns false if each request that waits has an opening. */
  #openOne(origin: string, queue: OriginQueue): boolean {
    if (queue.openings.size >= queue.waiters.size) return false;
    const opening = new AbortController();
    queue.openings.add(opening);
    this.#openings.set(opening, this.#open(origin, queue, opening));
    return true;
  }

  async #open(origin: string, queue: OriginQueue, opening: AbortController): Promise<void> {
    try {
      const connection = await this.#options.open(origin, opening);
      queue.openings.delete(opening);
      if (!this.offer({ connection, isReused: false })) this.#options.onSurplus(connection);
    } catch (error) {
      if (queue.openings.delete(opening)) this.#fail(origin, queue, error);
    }
    this.#openings.delete(opening);
    this.#forgetUnused(origin, queue);
  }

  #fail(origin: string, { waiters, openings }: OriginQueue, error: unknown): void {
    const [longest] = waiters;
    if (longest === undefined || openings.size >= waiters.size) return;
    const isTimeout = error instanceof RequestError && error.code === 'CONNECT_TIMEOUT';
    if (isTimeout && this.#options.isServed(origin)) return;
    waiters.delete(longest);
    longest.reject(error);
  }

  #giveUpSurplus(origin: string, { waiters, openings }: OriginQueue): void {
    const latest = [...openings].at(-1);
    if (latest !== undefined && openings.size > waiters.size) {
      openings.delete(latest);
      latest.abort();
    }
    this.#forgetUnused(origin, { waiters, openings });
  }

  #forgetUnused(origin: string, { waiters, openings }: OriginQueue): void {
    if (waiters.size === 0 && openings.size === 0) this.#queues.delete(origin);
  }
}
