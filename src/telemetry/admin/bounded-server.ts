import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AdminLimit } from '../metrics/counters.ts';
import { AdminConnections, type ConnectionEvents } from './admin-connections.ts';

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

interface RefusedRequest {
  readonly status: string;
  /** Undefined for what is no HTTP. */
  readonly limit: AdminLimit | undefined;
}

/** The answers to requests that exceed a limit, by the code of Node's error. */
const refusals: ReadonlyMap<string, RefusedRequest> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: '408 Request Timeout', limit: 'request_time' }],
  ['HPE_HEADER_OVERFLOW', { status: '431 Request Header Fields Too Large', limit: 'head_bytes' }],
]);

const badRequest: RefusedRequest = { status: '400 Bad Request', limit: undefined };
