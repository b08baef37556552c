import { connect, type Socket } from 'node:net';
import type { MonotonicClock } from '../lib/clock.ts';
import { AddressHistory, endpointOf, type Random } from './address-history.ts';

interface TcpDial {
  /** The addresses to choose from; at least one. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Resolves to a connection to one of the addresses. Leaves no other socket open. */
export type DialTcp = (dial: TcpDial) => Promise<Socket>;

/** Creates a dialer that remembers which addresses failed. */
export function createTcpDialer(clock: MonotonicClock, random: Random = Math.random): DialTcp {
  const history = new AddressHistory(random);
  return async ({ addresses, port, signal }) => {
    signal.throwIfAborted();
    using race = new AddressRace({
      addresses: history.order(addresses, port, clock.monotonic()),
      port,
      history,
      clock,
    });
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

/** The addresses are in the order in which to try them. */
interface AddressRaceOptions extends Omit<TcpDial, 'signal'> {
  readonly history: AddressHistory;
  readonly clock: MonotonicClock;
}

/**
 * Tries one address after the other, the next one every 250 ms or as soon as one fails, and keeps the first connection.
 * An attempt goes on while others are tried, because a round trip may take longer. One that was overtaken by a later one
 * counts as failed.
 */
class AddressRace implements Disposable {
  /** Resolves to the first connection. Rejects when all attempts have failed, or with the reason of `abort`. */
  readonly winner: Promise<Socket>;
  readonly #winner = Promise.withResolvers<Socket>();
  readonly #options: AddressRaceOptions;
  /** The attempts in flight, with the times at which they began. */
  readonly #attempts = new Map<Socket, { readonly endpoint: string; readonly startedAt: number }>();
  readonly #errors: unknown[] = [];
  #started = 0;
  #timer: Disposable | undefined;

  constructor(options: AddressRaceOptions) {
    this.#options = options;
    this.winner = this.#winner.promise;
    this.#startNext();
  }

  abort(reason: unknown): void {
    this.#end();
    this.#winner.reject(reason);
  }

  /** Closes all sockets but the winner's. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    for (const socket of this.#attempts.keys()) socket.destroy();
  }

  #startNext(): void {
    this.#timer?.[Symbol.dispose]();
    const { addresses, port, clock } = this.#options;
    const address = addresses[this.#started];
    if (address === undefined) return;
    this.#started += 1;
    const socket = connect({ host: address, port });
    this.#attempts.set(socket, { endpoint: endpointOf(address, port), startedAt: clock.monotonic() });
    socket.once('connect', () => this.#win(socket));
    socket.on('error', (error) => this.#lose(socket, error));
    this.#timer = this.#started < addresses.length ? clock.after(attemptDelayMs, () => this.#startNext()) : undefined;
  }

  #win(socket: Socket): void {
    const attempt = this.#attempts.get(socket);
    if (attempt === undefined) return;
    this.#attempts.delete(socket);
    this.#options.history.noteSuccess(attempt.endpoint);
    this.#end();
    this.#winner.resolve(socket);
  }

  #lose(socket: Socket, error: unknown): void {
    const attempt = this.#attempts.get(socket);
    if (attempt === undefined) return;
    this.#attempts.delete(socket);
    this.#errors.push(error);
    this.#options.history.noteFailure(attempt.endpoint, this.#options.clock.monotonic());
    if (this.#started < this.#options.addresses.length) this.#startNext();
    else if (this.#attempts.size === 0) this.#winner.reject(this.#failure());
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
