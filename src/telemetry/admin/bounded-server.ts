import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AdminLimit } from '../metrics/counters.ts';

/** Handles a request. Resolves once the answer is handed to the connection. */
type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The limits of each request. Times are in ms, and are checked once a second. */
const limits = {
  /** Kubelet and Prometheus send their head in one packet. Longer than the time to send a lost packet again. */
  headersTimeout: 3000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  /** The default of Node, set here because `NODE_OPTIONS` can change that. A browser's cookies need some KiB. */
  maxHeaderSize: 16_384,
  /** Longer than the usual scrape interval of 60 s, so that scrapes reuse a connection. */
  keepAliveTimeout: 65_000,
};

/** Creates a server on which no client can hold up another one, neither by many connections nor by slow ones. */
export function createBoundedServer(respond: Respond, events: ConnectionEvents): Server {
  const connections = new AdminConnections(events);
  const server = createServer(limits, (request, response) => {
    const { socket } = request;
    if (connections.begin(socket)) void respond(request, response).finally(() => connections.end(socket));
  });
  server.timeout = 70_000;
  server.on('connection', (socket) => connections.admit(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const refusal = refusals.get(error.code ?? '') ?? badRequest;
    if (socket.writable) socket.write(`HTTP/1.1 ${refusal.status}\r\nConnection: close\r\n\r\n`);
    if (refusal.limit !== undefined && socket instanceof Socket) connections.close(socket, refusal.limit);
    else socket.destroy();
  });
  return server;
}

/** The answers to requests that exceed a limit, by the code of Node's error. */
const refusals: ReadonlyMap<string, { readonly status: string; readonly limit: AdminLimit }> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: '408 Request Timeout', limit: 'request_time' }],
  ['HPE_HEADER_OVERFLOW', { status: '431 Request Header Fields Too Large', limit: 'head_bytes' }],
]);

/** The answer to what is no HTTP. */
const badRequest = { status: '400 Bad Request', limit: undefined };

/** The limit of connections. Each may hold a head of 16 KiB and an answer of some 100 KB, so all hold some 10 MB. */
const maxConnections = 64;

/**
 * The limit of connections from one address. All clients may be behind one NAT address: three probes, two Prometheus servers
 * with two connections each, a browser with six, and `curl`. These are 14.
 */
const maxConnectionsPerAddress = 16;

export interface ConnectionEvents {
  adminConnectionClosed(closed: { readonly limit: AdminLimit; readonly address: string }): void;
}

/**
 * Owns the connections to the admin server, and makes room for each new one. A probe must be answered although others hold
 * as many connections as they like.
 *
 * The server calls `admit` for each new connection, `begin` for each request and `end` once its answer is handed over. Before
 * and after its answer, a connection waits for its client.
 *
 * Promises:
 * - At most `maxConnections` are open, and at most `maxConnectionsPerAddress` from one address.
 * - A new connection is never refused. The one that has waited longest for its client is closed. If all are being answered,
 *   it is the one whose answer takes longest. From an address with too many, it is one of that address.
 * - One request of a connection is answered at a time. A client that does not wait for its answer is disconnected.
 *
 * A request that comes in small pieces does not count until its head is complete. So it can't keep its place by a byte now
 * and then.
 */
class AdminConnections {
  readonly #events: ConnectionEvents;
  /** The connection that has waited longest is the first, because a `Map` keeps the order of insertion. */
  readonly #open = new Map<Socket, AdminConnection>();

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  admit(socket: Socket): void {
    const address = addressOf(socket);
    const siblings = [...this.#open].filter(([, connection]) => connection.address === address);
    if (siblings.length >= maxConnectionsPerAddress) this.#closeOne(siblings, 'connections_per_address');
    else if (this.#open.size >= maxConnections) this.#closeOne([...this.#open], 'connections');
    this.#open.set(socket, { address, isAnswering: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Returns false if the connection is closed, because its last request is not answered yet. */
  begin(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return false;
    if (connection.isAnswering) this.close(socket, 'requests_per_connection');
    else connection.isAnswering = true;
    return this.#open.has(socket);
  }

  end(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#open.set(socket, { ...connection, isAnswering: false });
  }

  close(socket: Socket, limit: AdminLimit): void {
    this.#events.adminConnectionClosed({ limit, address: this.#open.get(socket)?.address ?? addressOf(socket) });
    this.#open.delete(socket);
    socket.destroy();
  }

  /** Closes the first of these that waits for its client, or else the first of all. */
  #closeOne(candidates: readonly (readonly [Socket, AdminConnection])[], limit: AdminLimit): void {
    const victim = candidates.find(([, { isAnswering }]) => !isAnswering) ?? candidates[0];
    if (victim !== undefined) this.close(victim[0], limit);
  }
}

interface AdminConnection {
  readonly address: string;
  isAnswering: boolean;
}

/** Returns the address of the client. A socket for both families names an IPv4 address as `::ffff:192.0.2.1`. */
function addressOf({ remoteAddress = 'unknown' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=[\d.]+$)/i, '');
}
