import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { PreparedRequest } from '../attempts.ts';
import { dropContinue } from './interim-responses.ts';
import { CodedError } from './request-error.ts';
import { ResponseReader } from './response-reader.ts';

/** One TLS connection and the HTTP/1.1 spoken on it, one request at a time. */
export class Connection {
  readonly origin: string;
  /** Resolves once the socket is closed, whoever closed it. */
  readonly closed: Promise<void>;
  readonly #socket: TLSSocket;
  readonly #client: Client;
  readonly #clock: Clock;

  constructor(options: { readonly origin: string; readonly socket: TLSSocket; readonly clock: Clock }) {
    const { origin, socket, clock } = options;
    this.origin = origin;
    // Once TLS is established, Node tells of a record that is none, and leaves the connection open.
    socket.once('error', () => socket.destroy());
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.#socket = socket;
    this.#client = createClient(origin, socket);
    this.#clock = clock;
  }

  /** False as soon as it is known to be closed, or to be about to. */
  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  /** Only while no other request is under way. */
  post({ head, extraHeaders, body }: PreparedRequest): ResponseReader {
    const response = new ResponseReader(this.#clock, () => this.close());
    const headers = [...head.headers, ...extraHeaders];
    this.#client.dispatch({ method: 'POST', path: head.path, headers, body }, response);
    return response;
  }

  /** Fails the request under way, if there is one. */
  close(): void {
    this.#socket.destroy();
  }
}

const longestIdleMs = 55_000;

const clientOptions = {
  allowH2: false,
  pipelining: 1,
  // How long an idle connection is kept, less than what load balancers commonly allow (a minute). Many servers close
  // earlier without a word: that is heard of while it is idle, and a request that crosses it is replaced.
  keepAliveTimeout: longestIdleMs,
  // Servers that name a time are believed up to here, and their connections closed a little earlier than they say.
  keepAliveMaxTimeout: longestIdleMs,
  keepAliveTimeoutThreshold: 2000,
  // So that a connection in constant use follows its name to another address one day.
  maxRequestsPerClient: 1000,
  // There is one deadline over all, and it is ours.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** undici is given a connection that stands, and no second one: so it opens none behind our back, within or without the policy. */
function createClient(origin: string, socket: TLSSocket): Client {
  dropContinue(socket);
  let given = false;
  return new Client(origin, {
    ...clientOptions,
    connect(_target, callback) {
      const spent = given;
      given = true;
      // undici looks for its request once it has asked for the connection, so the answer must come after that.
      queueMicrotask(() => (spent ? callback(new CodedError('CONNECTION_SPENT'), null) : callback(null, socket)));
    },
  });
}
