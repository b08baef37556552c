import type { PreparedRequest } from '../deliveries/request.ts';
import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import type { MonotonicClock } from '../lib/clock.ts';
import type { ReceivedBytes } from './tls/received-bytes.ts';
import { CodedError } from './request-error.ts';
import { ResponseFilter } from './response/response-head.ts';
import { ResponseReader, type ResponseListener } from './response/response-reader.ts';
import type { TlsConnection } from './tls/tls-dialer.ts';

interface ConnectionOptions extends Pick<TlsConnection, 'socket' | 'received'> {
  readonly origin: string;
  readonly clock: MonotonicClock;
  /** Shared by all connections. */
  readonly nextTurn: NextTurn;
}

/** One TLS connection for HTTP/1.1, with one request at a time. */
export class Connection {
  readonly origin: string;
  /** Resolves once the socket is closed, by either side. */
  readonly closed: Promise<void>;
  readonly #socket: TLSSocket;
  readonly #client: Client;
  readonly #clock: MonotonicClock;
  readonly #received: ReceivedBytes;
  readonly #nextTurn: NextTurn;
  readonly #responses = new ResponseFilter();
  readonly #close = (): void => this.close();
  readonly #readHeld = (): void => {
    this.#isHolding = false;
    if (this.#isEarly) this.#refuse(new CodedError('EARLY_RESPONSE'));
    else this.#socket.emit('readable');
  };
  #response: ResponseReader | undefined;
  #isReused = false;
  #isHolding = false;
  #unused: Disposable | undefined;
  /** A head that ended with the connection, until undici reads it. */
  #lastHead: Buffer | undefined;

  constructor({ origin, socket, received, clock, nextTurn }: ConnectionOptions) {
    this.origin = origin;
    // After an invalid TLS record, Node emits an error and leaves the connection open.
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
    this.#socket = socket;
    this.#received = received;
    this.#nextTurn = nextTurn;
    this.#readThroughFilter();
    this.#client = createClient(origin, socket);
    this.#clock = clock;
  }

  /** False once the connection is closed or closing. */
  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  /** True once a request was served. */
  get isReused(): boolean {
    return this.#isReused;
  }

  /** True if the connection was closed because the endpoint sent more than it may. */
  get hasExceeded(): boolean {
    return this.#received.isExceeded;
  }

  /** Closes the connection unless it is used in time, or as soon as the endpoint sends or closes anything. */
  awaitUse(): void {
    this.#socket.once('readable', this.#close);
    this.#unused = this.#clock.after(longestIdleMs, this.#close);
    void this.closed.then(() => this.#unused?.[Symbol.dispose]());
  }

  /** Sends a request. No other request may be in flight on this connection. */
  post({ head, extraHeaders, body }: PreparedRequest, listener: ResponseListener): ResponseReader {
    if (this.#unused !== undefined) this.#beginUse(this.#unused);
    const response = new ResponseReader(this.#clock, this.#close, listener);
    this.#response = response;
    this.#responses.begin();
    const headers = [...head.headers, ...extraHeaders];
    // Without the origin, undici would build it again from its URL.
    this.#client.dispatch({ origin: this.origin, method: 'POST', path: head.path, headers, body }, response);
    return response;
  }

  /** Ends the exchange. What the endpoint sends from here on counts for the next one. */
  endExchange(): void {
    this.#response = undefined;
    this.#isReused = true;
    this.#received.renew();
  }

  /** Closes the connection, which fails the request in flight, if there is one. */
  close(): void {
    this.#socket.destroy(closedHere);
  }

  /** Replaces the method with which undici reads from the socket. */
  #readThroughFilter(): void {
    // Called before undici learns of the end.
    this.#socket.on('end', () => {
      this.#lastHead = this.#responses.end();
      this.#socket.emit('readable');
    });
    const read = this.#socket.read.bind(this.#socket);
    this.#socket.read = (size?: number): unknown => {
      for (;;) {
        if (this.#isEarly) return this.#hold();
        const chunk: unknown = read(size);
        if (!(chunk instanceof Buffer)) return this.#takeLastHead() ?? chunk;
        if (!this.#received.takeContent(chunk.length)) return null;
        const passed = this.#responses.filter(chunk);
        if (passed instanceof CodedError) return this.#refuse(passed);
        // undici does not see what the filter drops, but the endpoint has the request then.
        this.#response?.onResponseStarted();
        if (passed !== undefined) return passed;
      }
    };
  }

  /** Node looks at all listeners when one of `readable` is removed, so that is not done for each request. */
  #beginUse(unused: Disposable): void {
    unused[Symbol.dispose]();
    this.#unused = undefined;
    this.#socket.off('readable', this.#close);
  }

  #takeLastHead(): Buffer | undefined {
    const head = this.#lastHead;
    this.#lastHead = undefined;
    return head;
  }

  /** True if bytes have come before the request is written, if Node is up to date. They may belong to the one before. */
  get #isEarly(): boolean {
    const { writableLength, readableLength } = this.#socket;
    return this.#isReused && this.#response !== undefined && writableLength > 0 && readableLength > 0;
  }

  /** Leaves bytes unread until it is sure that the request is written. Node tells that one turn of the event loop later. */
  #hold(): null {
    if (this.#isHolding) return null;
    this.#isHolding = true;
    this.#nextTurn.add(this.#readHeld);
    return null;
  }

  #refuse(fault: CodedError): null {
    if (fault.code === 'TOO_MANY_INTERIM_RESPONSES') this.#received.exceed('interim_responses');
    else this.#socket.destroy(fault);
    return null;
  }
}

/** Without an error undici makes one for each connection, with its stack and the addresses of the socket: 25 µs. */
const closedHere = new CodedError('CLOSED');

/**
 * The time for which an idle connection is kept. Common load balancers close after 60 s
 * (https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-idle-timeout.html).
 * With 4 s, reconnecting took half of the CPU at 200 certificates/s to 2,000 endpoints.
 */
const longestIdleMs = 55_000;

const clientOptions = {
  allowH2: false,
  pipelining: 1,
  // Servers may close earlier. The pool forgets a connection that they close; a request that crosses the close is resent.
  keepAliveTimeout: longestIdleMs,
  // A shorter time in the server's `Keep-Alive` header is used, less 2 s so that we close first.
  keepAliveMaxTimeout: longestIdleMs,
  keepAliveTimeoutThreshold: 2000,
  // A connection in constant use is renewed after this many requests, so that it follows its name to another address.
  maxRequestsPerClient: 1000,
  // The exchange has one deadline over everything.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/**
 * Creates an undici client for this socket alone. It gets no second connection, so it can't open one outside the egress
 * policy.
 */
function createClient(origin: string, socket: TLSSocket): Client {
  let used = false;
  return new Client(origin, {
    ...clientOptions,
    connect(_target, callback) {
      const isUsed = used;
      used = true;
      // undici registers its request after it has called `connect`, so the callback must run later.
      queueMicrotask(() => (isUsed ? callback(new CodedError('CONNECTION_SPENT'), null) : callback(null, socket)));
    },
  });
}

/** Runs callbacks in the next turn of the event loop. One immediate for each would take 0.5 KB of every delivery. */
export class NextTurn {
  #waiting: (() => void)[] = [];
  readonly #run = (): void => {
    const due = this.#waiting;
    this.#waiting = [];
    for (const run of due) run();
  };

  add(run: () => void): void {
    if (this.#waiting.push(run) === 1) setImmediate(this.#run);
  }
}
