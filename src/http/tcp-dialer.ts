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
  return (dial) => new AddressRace(dial, history, clock).winner.promise;
}

/**
 * The silence after which TCP probes the peer, ten times in ten seconds. A connection that a firewall dropped is thus
 * closed within about 20 s, and not used again.
 */
const keepAliveDelayMs = 10_000;

/** The time after which the next address is tried as well (RFC 8305, 5). */
const attemptDelayMs = 250;

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
  /** The first connection. Rejects when all attempts have failed and no address may join, or when the signal is aborted. */
  readonly winner = Promise.withResolvers<Socket>();
  readonly #dial: TcpDial;
  readonly #history: AddressHistory;
  readonly #clock: MonotonicClock;
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

  constructor(dial: TcpDial, history: AddressHistory, clock: MonotonicClock) {
    this.#dial = dial;
    this.#history = history;
    this.#clock = clock;
    const { addresses, late, signal } = dial;
    this.#hasAll = late === undefined;
    signal.addEventListener('abort', this.#abort);
    if (signal.aborted) this.#abort();
    this.#add(addresses);
    void late?.then((more) => {
      this.#hasAll = true;
      this.#add(more);
    });
  }

  #add(addresses: readonly string[]): void {
    if (this.#isOver) return;
    const added = addresses.filter((address) => !this.#tried.includes(address) && !this.#untried.includes(address));
    const { host, port } = this.#dial;
    this.#untried = this.#history.order([...this.#untried, ...added], port, this.#clock.monotonic(), host);
    if (this.#timer === undefined) this.#startNext();
  }

  /** Fails with the reason, or with the failure of the addresses if only late ones were waited for. */
  readonly #abort = (): void => {
    const haveFailed = this.#attempts.length === 0 && this.#errors.length > 0;
    this.#end();
    this.winner.reject(haveFailed ? this.#failure() : this.#dial.signal.reason);
  };

  #startNext(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const [address, ...untried] = this.#untried;
    if (address === undefined) return this.#failWithoutAttempts();
    this.#untried = untried;
    this.#tried = [...this.#tried, address];
    const keepAlive = { keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs };
    const socket = connect({ host: address, port: this.#dial.port, noDelay: true, ...keepAlive });
    const attempt = { socket, address, startedAt: this.#clock.monotonic() };
    this.#attempts = [...this.#attempts, attempt];
    socket.on('connect', () => this.#win(attempt));
    socket.on('error', (error) => this.#lose(attempt, error));
    if (untried.length > 0 || !this.#hasAll) this.#timer = this.#clock.after(attemptDelayMs, () => this.#startNext());
  }

  #failWithoutAttempts(): void {
    if (!this.#hasAll || this.#attempts.length > 0) return;
    this.#end();
    this.winner.reject(this.#failure());
  }

  #win(attempt: Attempt): void {
    if (this.#isOver) return;
    this.#leave(attempt);
    this.#end();
    this.winner.resolve(attempt.socket);
  }

  #lose(attempt: Attempt, error: unknown): void {
    if (this.#isOver) return;
    this.#leave(attempt);
    this.#errors = [...this.#errors, error];
    this.#noteFailure(attempt);
    this.#startNext();
  }

  #leave(attempt: Attempt): void {
    this.#attempts = this.#attempts.filter((one) => one !== attempt);
  }

  /** Closes the sockets of all attempts. Notes those that another one overtook, or that had time enough. */
  #end(): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#dial.signal.removeEventListener('abort', this.#abort);
    for (const attempt of this.#attempts) {
      if (this.#clock.monotonic() - attempt.startedAt >= attemptDelayMs) this.#noteFailure(attempt);
      attempt.socket.destroy();
    }
  }

  #noteFailure({ address }: Attempt): void {
    this.#history.noteFailure(endpointOf(address, this.#dial.port), this.#clock.monotonic());
  }

  #failure(): unknown {
    return this.#errors.length === 1 ? this.#errors[0] : new AggregateError(this.#errors);
  }
}
