import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CodedError } from '../request-error.ts';

/** The bytes that an endpoint may send for one exchange; for the first one on a connection, with the TLS handshake. */
export const maxExchangeBytes = 64 * 1024;

/**
 * The bytes that an endpoint may send in a handshake. A chain of certificates is checked in one go, and 49 KB of names and
 * constraints take 0.15 s. Usual chains have 5 KB, and three certificates with post-quantum keys about 25 KB.
 */
export const maxHandshakeBytes = 32 * 1024;

/** The most bytes that Node reads from a socket at once, before any of them is used. */
const readAheadBytes = 64 * 1024;

/**
 * The TLS messages that an endpoint may send for one exchange besides content. Servers send up to four session tickets,
 * and hardly ever a new key. Each takes about 10 µs.
 */
const maxSideMessages = 32;

/** The pieces in which an endpoint may send one response. Each takes about 8 µs, even if it is a single byte. */
const maxPieces = 1024;

interface ReceivedBytesOptions {
  /** The transport below TLS, which counts the bytes that it has received. */
  readonly transport: Socket;
  readonly socket: TLSSocket;
  /** Infinite for a proxy, which carries many exchanges. */
  readonly maxBytes: number;
  readonly watch: ReceiveWatch;
  readonly onExceeded: (limit: ReceiveLimit) => void;
}

/** The limits of an exchange. `records` are pieces of content, and side messages. */
export const receiveLimits = ['bytes', 'records', 'interim_responses'] as const;
export type ReceiveLimit = (typeof receiveLimits)[number];

const codes = {
  bytes: 'TOO_MANY_BYTES',
  records: 'TOO_MANY_RECORDS',
  interim_responses: 'TOO_MANY_INTERIM_RESPONSES',
} as const;

/**
 * Limits what an endpoint sends on one connection, and closes the connection that exceeds a limit.
 *
 * An exchange has its own allowance, which begins where the exchange before it ended. Four numbers count for it:
 *
 * | number                    | counted by                           | limit                     |
 * | ------------------------- | ------------------------------------ | ------------------------- |
 * | the handshake             | `handshakeEnded`                     | `maxHandshakeBytes`       |
 * | handshake and content     | `takeContent`                        | `maxBytes`, exactly       |
 * | bytes of the transport    | `takeContent`, and the `ReceiveWatch` | `maxBytes` and one read  |
 * | pieces, and side messages | `takeContent`, `countSideMessage`    | the constants of this file |
 *
 * The transport counts too, because OpenSSL consumes many records silently, and each takes processor time.
 */
export class ReceivedBytes {
  readonly #transport: Socket;
  readonly #socket: TLSSocket;
  readonly #maxBytes: number;
  readonly #onExceeded: (limit: ReceiveLimit) => void;
  #renewedAt: number;
  #usedBytes = 0;
  #pieces = 0;
  #sideMessages = 0;
  #isExceeded = false;

  constructor({ transport, socket, maxBytes, watch, onExceeded }: ReceivedBytesOptions) {
    this.#transport = transport;
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#onExceeded = onExceeded;
    this.#renewedAt = transport.bytesRead;
    if (maxBytes !== Number.POSITIVE_INFINITY) watch.add(this);
  }

  /** True once the endpoint has exceeded a limit. The connection is then closed. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Counts a handshake that has ended, well or not. Returns false if it was too large; the connection is then closed. */
  handshakeEnded(): boolean {
    this.#usedBytes = this.#transport.bytesRead - this.#renewedAt;
    if (this.#maxBytes === Number.POSITIVE_INFINITY || this.#usedBytes <= maxHandshakeBytes) return true;
    this.exceed('bytes');
    return false;
  }

  /** Counts content before it is used. Returns false if it may not be used, because the connection is closed. */
  takeContent(bytes: number): boolean {
    this.#usedBytes += bytes;
    this.#pieces += 1;
    if (this.#usedBytes > this.#maxBytes) this.exceed('bytes');
    else if (this.#pieces > maxPieces) this.exceed('records');
    else this.checkTransport();
    return !this.#socket.destroyed;
  }

  /** Counts a TLS message that is neither handshake nor content. */
  countSideMessage(): void {
    this.#sideMessages += 1;
    if (this.#sideMessages > maxSideMessages) this.exceed('records');
  }

  /** Counts the bytes of the transport. Some of them may not have been used yet. */
  checkTransport(): void {
    if (this.#transport.bytesRead - this.#renewedAt > this.#maxBytes + readAheadBytes) {
      this.exceed('bytes');
    }
  }

  /** Closes the connection, because the endpoint exceeds a limit. Does nothing if it is closed already. */
  exceed(limit: ReceiveLimit): void {
    if (this.#socket.destroyed || this.#maxBytes === Number.POSITIVE_INFINITY) return;
    this.#isExceeded = true;
    this.#socket.destroy(new CodedError(codes[limit]));
    this.#onExceeded(limit);
  }

  /** Begins the allowance of the next exchange. */
  renew(): void {
    this.#renewedAt = this.#transport.bytesRead;
    this.#usedBytes = 0;
    this.#pieces = 0;
    this.#sideMessages = 0;
  }
}

/** The longest time for which an endpoint can send what OpenSSL consumes silently, such as requests to renegotiate. */
const watchIntervalMs = 50;

/**
 * Checks all connections every 50 ms while there are any.
 *
 * Without it, an endpoint could keep OpenSSL busy until the deadline with records of which Node learns nothing.
 */
export class ReceiveWatch {
  readonly #watched = new Set<ReceivedBytes>();
  /** Not of the clock that tests advance, because this protects the processor. */
  #timer: NodeJS.Timeout | undefined;

  /** Watches until the connection is closed. */
  add(received: ReceivedBytes): void {
    this.#watched.add(received);
    this.#timer ??= setInterval(() => this.#check(), watchIntervalMs).unref();
  }

  #check(): void {
    for (const received of this.#watched) {
      if (received.isClosed) this.#watched.delete(received);
      else received.checkTransport();
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
