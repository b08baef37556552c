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
  return ({ addresses, late, host, port, signal }) => {
    const race = new AddressRace({ host, port, history, clock, signal, hasLate: late !== undefined });
    race.add(addresses);
    void late?.then((more) => race.addLast(more));
    return race.winner;
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
  readonly signal: AbortSignal;
  /** True if addresses may join. */
  readonly hasLate: boolean;
}

interface Attempt {
  readonly socket: Socket;
  readonly address: string;
  readonly startedAt: number;
}

/**
 * Tries one address after the other, the next one every 250 ms or as soon as one fails, and keeps the first connection. An
 * address may join at any time, such as those of a family that the name server was late for (RFC 8305, 3).
 * An attempt goes on while others are tried, because a round trip may take longer. One that was overtaken by a later one
 * counts as failed.
 */
class AddressRace {
  /** Resolves to the first connection. Rejects when all attempts have failed and no address may join, or when the signal is aborted. */
  get winner(): Promise<Socket> {
    return this.#winner.promise;
  }

  readonly #winner = Promise.withResolvers<Socket>();
  readonly #options: AddressRaceOptions;
  /** The attempts in flight. */
  #attempts: readonly Attempt[] = [];
  #errors: readonly unknown[] = [];
  #tried: readonly string[] = [];
  /** In the order in which to try them. */
  #untried: readonly string[] = [];
  #hasAll: boolean;
  #isOver = false;
  /** Defined while the latest attempt has the start to itself. */
  #timer: Disposable | undefined;

  constructor(options: AddressRaceOptions) {
    this.#options = options;
    this.#hasAll = !options.hasLate;
    options.signal.addEventListener('abort', this.#abort);
    if (options.signal.aborted) this.#abort();
  }

  add(addresses: readonly string[]): void {
    if (this.#isOver) return;
    const added = addresses.filter((address) => !this.#tried.includes(address) && !this.#untried.includes(address));
    const { host, port, history, clock } = this.#options;
    this.#untried = history.order([...this.#untried, ...added], port, clock.monotonic(), host);
    if (this.#timer === undefined) this.#startNext();
  }

  addLast(addresses: readonly string[]): void {
    this.#hasAll = true;
    this.add(addresses);
  }

  /** Fails with the reason, or with the failure of the addresses if only late ones were waited for. */
  readonly #abort = (): void => {
    const haveFailed = this.#attempts.length === 0 && this.#errors.length > 0;
    this.#end();
    this.#winner.reject(haveFailed ? this.#failure() : this.#options.signal.reason);
  };

  #startNext(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const { port, clock } = this.#options;
    const [address, ...untried] = this.#untried;
    if (address === undefined) {
      if (!this.#hasAll || this.#attempts.length > 0) return;
      this.#end();
      this.#winner.reject(this.#failure());
      return;
    }
    this.#untried = untried;
    this.#tried = [...this.#tried, address];
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveDelayMs,
    });
    const attempt = { socket, address, startedAt: clock.monotonic() };
    this.#attempts = [...this.#attempts, attempt];
    socket.on('connect', () => this.#win(attempt));
    socket.on('error', (error) => this.#lose(attempt, error));
    if (untried.length > 0 || !this.#hasAll) this.#timer = clock.after(attemptDelayMs, () => this.#startNext());
  }

  #win(attempt: Attempt): void {
    if (this.#isOver) return;
    this.#leave(attempt);
    this.#end();
    this.#winner.resolve(attempt.socket);
  }

  #lose(attempt: Attempt, error: unknown): void {
    if (this.#isOver) return;
    this.#leave(attempt);
    this.#errors = [...this.#errors, error];
    const { history, port, clock } = this.#options;
    history.noteFailure(endpointOf(attempt.address, port), clock.monotonic());
    this.#startNext();
  }

  #leave(attempt: Attempt): void {
    this.#attempts = this.#attempts.filter((one) => one !== attempt);
  }

  /** Closes the sockets of all attempts. Notes those that another one overtook, or that had time enough. */
  #end(): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    const { history, port, clock, signal } = this.#options;
    signal.removeEventListener('abort', this.#abort);
    const now = clock.monotonic();
    for (const { socket, address, startedAt } of this.#attempts) {
      if (now - startedAt >= attemptDelayMs) history.noteFailure(endpointOf(address, port), now);
      socket.destroy();
    }
  }

  #failure(): unknown {
    return this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
  }
}
