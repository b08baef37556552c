import type { Clock } from '../../lib/clock.ts';
import { Connection } from './connection.ts';
import type { Connect } from './connector.ts';
import type { ResponseReader } from './response-reader.ts';
import { targetOf } from './target.ts';

/** For gauges. */
export interface ConnectionPoolState {
  /** Idle ones included, those still being opened not. */
  readonly open: number;
  readonly idle: number;
}

interface ConnectionPoolOptions {
  readonly connect: Connect;
  readonly maxIdle: number;
  readonly clock: Clock;
  onOpened(opened: { readonly resumed: boolean }): void;
}

/**
 * All connections of the process. Opened on demand and without a limit, because whoever asks has one; kept for the next
 * request to their origin, and then the least recently used one is closed for one too many.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #options: ConnectionPoolOptions;
  /** With what resolves once the connection is closed and forgotten. */
  readonly #open = new Map<Connection, Promise<void>>();
  /** A `Set` lists its members in the order of insertion, so the first one is the least recently used. */
  readonly #idle = new Set<Connection>();
  readonly #idleByOrigin = new Map<string, Connection[]>();
  #reading = 0;
  #disposed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  get state(): ConnectionPoolState {
    return { open: this.#open.size, idle: this.#idle.size };
  }

  /** The idle connection that was used last, so that surplus ones grow old. */
  take(origin: string): Connection | undefined {
    const siblings = this.#idleByOrigin.get(origin);
    const connection = siblings?.pop();
    if (connection === undefined) return undefined;
    this.#idle.delete(connection);
    if (siblings?.length === 0) this.#idleByOrigin.delete(origin);
    return connection.usable ? connection : this.take(origin);
  }

  /** Rejects as `Connect` does. */
  async open(origin: string, signal: AbortSignal): Promise<Connection> {
    const socket = await this.#options.connect(targetOf(origin), signal);
    const connection = new Connection({ origin, socket, clock: this.#options.clock });
    this.#open.set(
      connection,
      connection.closed.then(() => this.#forget(connection)),
    );
    this.#options.onOpened({ resumed: socket.isSessionReused() });
    return connection;
  }

  /** Keeps the connection: now if the whole response is there, else once the rest of it is read. */
  async release(connection: Connection, response: ResponseReader): Promise<void> {
    if (!response.hasEnded) await this.#readOn(connection, response);
    if (this.#disposed) connection.close();
    if (connection.usable) this.#keep(connection);
  }

  /** Closes all. Nobody may be using one any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const connection of this.#open.keys()) connection.close();
    await Promise.all(this.#open.values());
  }

  async #readOn(connection: Connection, response: ResponseReader): Promise<void> {
    // Bodies that keep coming must not hold more connections than idleness may.
    if (this.#reading >= this.#options.maxIdle) connection.close();
    this.#reading += 1;
    await response.ended;
    this.#reading -= 1;
  }

  #keep(connection: Connection): void {
    this.#idle.add(connection);
    const siblings = this.#idleByOrigin.get(connection.origin);
    if (siblings === undefined) this.#idleByOrigin.set(connection.origin, [connection]);
    else siblings.push(connection);
    if (this.#idle.size > this.#options.maxIdle) this.#closeOldest();
  }

  #closeOldest(): void {
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    this.#forgetIdle(oldest);
    oldest.close();
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#forgetIdle(connection);
  }

  #forgetIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const siblings = this.#idleByOrigin.get(connection.origin)?.filter((sibling) => sibling !== connection) ?? [];
    if (siblings.length === 0) this.#idleByOrigin.delete(connection.origin);
    else this.#idleByOrigin.set(connection.origin, siblings);
  }
}
