import type { MonotonicClock } from '../lib/clock.ts';
import { LruMap } from '../lib/lru-map.ts';
import { Connection, NextTurn } from './connection.ts';
import type { Connect } from './connector.ts';
import type { ResponseReader } from './response/response-reader.ts';
import { targetOf } from './target.ts';
import type { TlsConnection } from './tls/tls-dialer.ts';
import { WaitingRequests, type AcquiredConnection } from './waiting-requests.ts';

export interface ConnectionPoolState {
  /** Open connections, idle ones included. Connections that are being opened do not count. */
  readonly open: number;
  readonly idle: number;
}

interface ConnectionPoolOptions {
  readonly connect: Connect;
  readonly maxIdle: number;
  readonly clock: MonotonicClock;
  onOpened(opened: { readonly resumed: boolean }): void;
}

/** The time for which no connection to an origin is used again after one gave an answer to something else. */
const singleUseMs = 600_000;

/** The most origins whose connections are not used again. Each takes about 0.1 KB. */
const maxSingleUse = 10_000;

/** The most certificates whose ends are remembered. Each takes about 0.2 KB. */
const maxCertificates = 20_000;

/**
 * Owns all connections to endpoints in this process, and keeps idle ones for the next request to their origin.
 *
 *     open ──▶ in use ──▶ response not over: body is read ──▶ idle ──▶ take ──▶ in use
 *                  │                       │                   │
 *                  └───────────────────────┴───────────────────┴──▶ closed, and forgotten
 *
 * An exchange calls `take`, then `acquire` if there is no idle connection, and `release` once the response head has
 * arrived. It calls `open` to repeat a request.
 *
 * - The pool has no limit of connections in use. The gates limit the requests, and each request has one connection.
 * - `take` returns the idle connection that was used last, so that surplus ones reach their idle timeout.
 * - At most `maxIdle` connections are idle. One more closes the least recently used one.
 * - At most `maxIdle` connections are kept open only to read a body. Above that, a connection is closed with its body
 *   unread.
 * - Connections to an origin of `useOnce` serve one request each.
 * - A connection that is closed by either side is forgotten at once. `take` never returns one that is known to be
 *   closed.
 * - Disposal closes all connections and waits for that. No exchange may be using one.
 *
 * `release` keeps a connection within the same call when the response is complete. Otherwise, the next request to the
 * endpoint, which may follow at once, would open another connection.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #options: ConnectionPoolOptions;
  /** Each connection with a promise that resolves once it is closed and forgotten. */
  readonly #open = new Map<Connection, Promise<void>>();
  /** The least recently used connection is the first, because a `Set` keeps the order of insertion. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Connection[]>();
  readonly #waiting = new WaitingRequests({
    open: (origin, opening) => this.open(origin, opening),
    onSurplus: (connection) => this.#keepUnused(connection),
    isServed: (origin) => [...this.#open.keys()].some((one) => one.origin === origin && one.isReused && one.usable),
  });
  readonly #singleUse = new LruMap<{ readonly until: number }>(maxSingleUse);
  /** The ends of the certificates that origins showed last, in epoch milliseconds. */
  readonly #certificates = new LruMap<{ readonly validUntil: number }>(maxCertificates);
  readonly #nextTurn = new NextTurn();
  #readingBodies = 0;
  #disposed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  get state(): ConnectionPoolState {
    return { open: this.#open.size, idle: this.#idle.size };
  }

  /** Removes and returns the idle connection to the origin that was used last. */
  take(origin: string): Connection | undefined {
    const siblings = this.#idleByOrigin.get(origin);
    const connection = siblings?.pop();
    if (connection === undefined) return undefined;
    this.#idle.delete(connection);
    if (siblings?.length === 0) this.#idleByOrigin.delete(origin);
    return connection.usable ? connection : this.take(origin);
  }

  /** Resolves to a new connection, or to one that becomes free before it is open. Rejects as `Connect` does. */
  acquire(origin: string, signal: AbortSignal): Promise<AcquiredConnection> {
    return this.#waiting.acquire(origin, signal);
  }

  /** Opens a connection. Rejects as `Connect` does. */
  open(origin: string, opening: AbortController): Promise<Connection> {
    return this.#options.connect(targetOf(origin), opening).then((connected) => this.#addOpen(origin, connected));
  }

  #addOpen(origin: string, { socket, received, validUntil }: TlsConnection): Connection {
    this.#certificates.set(origin, { validUntil });
    const { clock } = this.#options;
    const connection = new Connection({ origin, socket, received, clock, nextTurn: this.#nextTurn });
    const forgotten = connection.closed.then(() => this.#forget(connection));
    this.#open.set(connection, forgotten);
    this.#options.onOpened({ resumed: socket.isSessionReused() });
    return connection;
  }

  /** Takes a connection back: at once if the response is complete, otherwise after reading the end of it. */
  release(connection: Connection, response: ResponseReader): Promise<void> | undefined {
    if (!response.hasEnded) return this.#releaseAfterBody(connection, response);
    this.#takeBack(connection);
    return undefined;
  }

  certificateEnd(origin: string): number | undefined {
    return this.#certificates.peek(origin)?.validUntil;
  }

  /** Uses no connection to the origin again for ten minutes. */
  useOnce(origin: string): void {
    this.#singleUse.set(origin, { until: this.#options.clock.monotonic() + singleUseMs });
    for (const connection of this.#idleByOrigin.get(origin) ?? []) connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#waiting[Symbol.asyncDispose]();
    for (const connection of this.#open.keys()) connection.close();
    await Promise.all(this.#open.values());
  }

  async #releaseAfterBody(connection: Connection, response: ResponseReader): Promise<void> {
    // Endless bodies must not hold more connections than may be idle.
    if (this.#readingBodies >= this.#options.maxIdle) connection.close();
    this.#readingBodies += 1;
    await response.ended;
    this.#readingBodies -= 1;
    this.#takeBack(connection);
  }

  #takeBack(connection: Connection): void {
    const { until = 0 } = this.#singleUse.get(connection.origin) ?? {};
    if (this.#disposed || this.#options.clock.monotonic() < until) connection.close();
    if (connection.usable) this.#keep(connection);
  }

  #keep(connection: Connection): void {
    connection.endExchange();
    if (!this.#waiting.offer({ connection, isReused: true })) this.#addIdle(connection);
  }

  #keepUnused(connection: Connection): void {
    if (this.#disposed) return connection.close();
    connection.awaitUse();
    this.#addIdle(connection);
  }

  #addIdle(connection: Connection): void {
    this.#idle.add(connection);
    const siblings = this.#idleByOrigin.get(connection.origin);
    if (siblings === undefined) this.#idleByOrigin.set(connection.origin, [connection]);
    else siblings.push(connection);
    if (this.#idle.size > this.#options.maxIdle) this.#closeLeastRecentlyUsed();
  }

  #closeLeastRecentlyUsed(): void {
    const [leastRecent] = this.#idle;
    if (leastRecent === undefined) return;
    this.#forgetIdle(leastRecent);
    leastRecent.close();
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#forgetIdle(connection);
    if (!this.#disposed) this.#waiting.refill(connection.origin);
  }

  #forgetIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const siblings = this.#idleByOrigin.get(connection.origin)?.filter((sibling) => sibling !== connection) ?? [];
    if (siblings.length === 0) this.#idleByOrigin.delete(connection.origin);
    else this.#idleByOrigin.set(connection.origin, siblings);
  }
}
