import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Identity } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import type { HostileResponse } from './response.ts';

interface HostileEndpoint extends AsyncDisposable {
  readonly port: number;
  readonly connectionsOpen: number;
  /** The number of times that each request arrived, by its number. */
  readonly arrivals: ReadonlyMap<number, number>;
}

/** Starts an endpoint that answers the request for `/n` with the n-th response. */
export async function startHostileEndpoint(
  identity: Identity,
  responses: readonly HostileResponse[],
): Promise<HostileEndpoint> {
  const arrivals = new Map<number, number>();
  /** The TCP sockets by the client's port, which identifies both the TCP connection and its TLS session. */
  const sockets = new Map<number | undefined, Socket>();
  // The cheapest group, because handshakes take most of the time.
  const options = { cert: identity.certificate, key: identity.key, ecdhCurve: 'X25519' };
  const server = createServer(options, (tls) => {
    const tcp = sockets.get(tls.remotePort);
    tls.on('error', ignore);
    const isEarly = (number: number): boolean => responses[number]?.early === true;
    readRequests(tls, isEarly, (number) => {
      arrivals.set(number, (arrivals.get(number) ?? 0) + 1);
      const response = responses[number];
      if (response !== undefined && tcp !== undefined) answer({ tls, tcp }, response);
    });
  });
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket.on('error', ignore);
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
  });
  server.on('tlsClientError', ignore);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    arrivals,
    get connectionsOpen() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await once(server, 'close');
    },
  };
}

interface Connection {
  readonly tls: TLSSocket;
  /** The TCP socket below TLS, for a reset. */
  readonly tcp: Socket;
}

/** Reads the number and the length of each request, and calls `take` when to answer it. */
function readRequests(tls: TLSSocket, isEarly: (number: number) => boolean, take: (number: number) => void): void {
  let read = '';
  let request: { readonly number: number; readonly bodyBytes: number; readonly isAnswered: boolean } | undefined;
  tls.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1');
    const headEnd = read.indexOf('\r\n\r\n');
    if (request === undefined && headEnd !== -1) {
      const [, number, length] = /^POST \/(\d+) [^]*content-length: (\d+)/i.exec(read.slice(0, headEnd)) ?? [];
      request = { number: Number(number), bodyBytes: Number(length), isAnswered: isEarly(Number(number)) };
      read = read.slice(headEnd + 4);
      if (request.isAnswered) take(request.number);
    }
    if (request === undefined || read.length < request.bodyBytes) return;
    const { number, bodyBytes, isAnswered } = request;
    read = read.slice(bodyBytes);
    request = undefined;
    if (!isAnswered) take(number);
  });
}

function answer(connection: Connection, { chunks, ending }: Pick<HostileResponse, 'chunks' | 'ending'>): void {
  const [first, ...later] = chunks;
  if (connection.tls.destroyed) return;
  if (first !== undefined && first.length > 0) connection.tls.write(first);
  if (later.length > 0) setImmediate(answer, connection, { chunks: later, ending });
  else conclude(connection, ending, first);
}

function conclude({ tls, tcp }: Connection, ending: HostileResponse['ending'], last: Buffer | undefined): void {
  switch (ending) {
    case 'keep':
    case 'hang':
      return;
    case 'end':
      return void tls.end();
    case 'reset':
      // The client may have closed. The system resets no socket that is being shut down, and Node would never close it.
      return void setImmediate(() => void (tls.writableEnded || tcp.resetAndDestroy()));
    case 'drip':
      if (!tls.destroyed && last !== undefined) {
        tls.write(last, () => setImmediate(conclude, { tls, tcp }, ending, last));
      }
  }
}

function ignore(): void {}
