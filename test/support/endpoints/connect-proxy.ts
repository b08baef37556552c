import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Identity } from '../tls/authority.ts';
import { portOf } from './endpoint.ts';

interface ConnectProxyOptions {
  /** The certificate of a proxy that is reached over TLS; plain HTTP when left out. */
  readonly identity?: Identity;
  /** The only accepted `user:password`; none is required when left out. */
  readonly credentials?: string;
  /** The head with which it opens a tunnel. */
  readonly head?: string;
  /** Answers a request in place of a tunnel. */
  readonly answer?: ProxyAnswer;
}

export type ProxyAnswer = (socket: Duplex) => void;

/** A proxy that opens tunnels. It resolves every name to this machine. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** The targets of the `CONNECT` requests so far. */
  readonly targets: readonly string[];
  /** The headers of the last request. */
  readonly headers: IncomingMessage['headers'];
  /** Open client connections, with or without a tunnel. */
  readonly connectionsOpen: number;
  readonly tunnelsOpen: number;
  /** Closes every tunnel at once, like a proxy that crashes. */
  closeTunnels(): void;
}

export async function startConnectProxy({
  identity,
  credentials,
  head = 'HTTP/1.1 200 Connection established\r\n\r\n',
  answer,
}: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const tunnels = new Set<Duplex>();
  let headers: IncomingMessage['headers'] = {};
  const server =
    identity === undefined ? createServer() : createSecureServer({ cert: identity.certificate, key: identity.key });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', ignore).on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    targets.push(request.url ?? '');
    ({ headers } = request);
    // Node no longer handles a socket after `CONNECT`: we must read it, and end it when the client ends.
    socket.on('error', ignore).on('end', () => socket.end());
    socket.resume();
    if (credentials !== undefined && headers['proxy-authorization'] !== basic(credentials)) requireCredentials(socket);
    else if (answer === undefined) openTunnel(request.url ?? '', socket, { tunnels, head });
    else answer(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    targets,
    get headers() {
      return headers;
    },
    get connectionsOpen() {
      return sockets.size;
    },
    get tunnelsOpen() {
      return tunnels.size;
    },
    closeTunnels() {
      for (const tunnel of tunnels) tunnel.destroy();
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Answers `CONNECT` with an error status. */
export function refuseTunnel(code: number, header = 'X-Reason: none'): ProxyAnswer {
  return (socket) => void socket.end(`HTTP/1.1 ${code} No\r\n${header}\r\nContent-Length: 2\r\n\r\nno`);
}

function requireCredentials(socket: Duplex): void {
  refuseTunnel(407, 'Proxy-Authenticate: Basic realm="proxy"')(socket);
}

function openTunnel(
  authority: string,
  socket: Duplex,
  { tunnels, head }: { readonly tunnels: Set<Duplex>; readonly head: string },
): void {
  const peer = connect(Number(authority.split(':').at(-1)), '127.0.0.1');
  tunnels.add(socket);
  socket.on('close', () => {
    tunnels.delete(socket);
    peer.destroy();
  });
  peer.on('close', () => socket.destroy());
  peer.on('error', () => refuseTunnel(502)(socket));
  peer.on('connect', () => {
    socket.write(head);
    socket.pipe(peer).pipe(socket);
  });
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function ignore(): void {}
