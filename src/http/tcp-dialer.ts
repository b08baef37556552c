import { connect, type Socket } from 'node:net';
import type { MonotonicClock } from '../lib/clock.ts';
import { AddressHistory, endpointOf, type Random } from './address-history.ts';
import type { Target } from './target.ts';

export interface TcpDial extends Pick<Target, 'port'>, Partial<Pick<Target, 'host'>> {
  /** The addresses to choose from; at least one. */
  readonly addresses: readonly string[];
  /** Resolves to addresses that join the others, some of which may be among them. Never rejects. */
  readonly late?: Promise<readonly string[]> | undefined;
  readonly signal: AbortSignal;
}

/** Resolves to a connection to one of the addresses. Leaves no other socket open. */
export type DialTcp = (dial: TcpDial) => Promise<Socket>;

/** Creates a dialer that remembers which addresses failed. That one works is noted at the end of a handshake. */
export function createTcpDialer(
  clock: MonotonicClock,
  random: Random = Math.random,
  history = new AddressHistory(random),
): DialTcp {
  return async ({ addresses, late = Promise.resolve([]), host, port, signal }) => {
    signal.throwIfAborted();
    using race = new AddressRace({ host, port, history, clock });
    race.add(addresses);
    void late.then((more) => race.addLast(more));
    const abort = (): void => race.abort(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      const socket = await race.winner;
      return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}

/**
 * The silence after which TCP probes the peer, ten times in ten seconds. A connection that a firewall dropped is thus
 * closed within about 20 s, and not used again.
 */
const keepAliveDelayMs = 10_000;

/** The time after which the next address is tried as well (RFC 8305, 5). */
const attemptDelayMs = 250;

interface AddressRaceOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly history: AddressHistory;
  readonly clock: MonotonicClock;
}

/**
 * Tries one address after the other, the next one every 250 ms or as soon as one fails, and keeps the first connection. An
 * address may join at any time, such as those of a family that the name server was late for (RFC 8305, 3).
 * An attempt goes on while others are tried, because a round trip may take longer. One that was overtaken by a later one
 * counts as failed.
 */
class AddressRace implements Disposable {
  /** Resolves to the first connection. Rejects when all attempts have failed and no address may join, or on `abort`. */
  readonly winner: Promise<Socket>;
  readonly #winner = Promise.withResolvers<Socket>();
  readonly #options: AddressRaceOptions;
  /** The attempts in flight, with the times at which they began. */
  readonly #attempts = new Map<Socket, { readonly endpoint: string; readonly startedAt: number }>();
  readonly #errors: unknown[] = [];
  readonly #known = new Set<string>();
  /** In the order in which to try them. */
  #untried: readonly string[] = [];
  #hasAll = false;
  #isOver = false;
  /** Defined while the latest attempt has the start to itself. */
  #timer: Disposable | undefined;

  constructor(options: AddressRaceOptions) {
    this.#options = options;
    this.winner = this.#winner.promise;
  }

  add(addresses: readonly string[]): void {
    if (this.#isOver) return;
    const added = addresses.filter((address) => !this.#known.has(address));
    for (const address of added) this.#known.add(address);
    const { host, port, history, clock } = this.#options;
    this.#untried = history.order([...this.#untried, ...added], port, clock.monotonic(), host);
    if (this.#timer === undefined) this.#startNext();
  }

  addLast(addresses: readonly string[]): void {
    this.#hasAll = true;
    this.add(addresses);
  }

  /** Fails with the reason, or with the failure of the addresses if only late ones were waited for. */
  abort(reason: unknown): void {
    const wasIdle = this.#attempts.size === 0;
    this.#end();
    this.#winner.reject(wasIdle ? this.#failure() : reason);
  }

  /** Closes all sockets but the winner's. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    for (const socket of this.#attempts.keys()) socket.destroy();
  }

  #startNext(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const { port, clock } = this.#options;
    const [address, ...untried] = this.#untried;
    if (address === undefined) {
      if (this.#hasAll && this.#attempts.size === 0) this.#winner.reject(this.#failure());
      return;
    }
    this.#untried = untried;
    const socket = connect({ host: address, port });
    this.#attempts.set(socket, { endpoint: endpointOf(address, port), startedAt: clock.monotonic() });
    socket.once('connect', () => this.#win(socket));
    socket.on('error', (error) => this.#lose(socket, error));
    this.#timer = clock.after(attemptDelayMs, () => this.#startNext());
  }

  #win(socket: Socket): void {
    if (!this.#attempts.delete(socket)) return;
    this.#end();
    this.#winner.resolve(socket);
  }

  #lose(socket: Socket, error: unknown): void {
    const attempt = this.#attempts.get(socket);
    if (attempt === undefined) return;
    this.#attempts.delete(socket);
    this.#errors.push(error);
    this.#options.history.noteFailure(attempt.endpoint, this.#options.clock.monotonic());
    this.#startNext();
  }

  /** Notes the attempts that another one overtook, or that had time enough. */
  #end(): void {
    const now = this.#options.clock.monotonic();
    for (const { endpoint, startedAt } of this.#attempts.values()) {
      if (now - startedAt >= attemptDelayMs) this.#options.history.noteFailure(endpoint, now);
    }
    this[Symbol.dispose]();
  }

  #failure(): unknown {
    return this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
  }
}
