import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Identity } from '../tls/authority.ts';
import { portOf } from './endpoint.ts';

/** A TCP server on 127.0.0.1. */
interface Listener extends AsyncDisposable {
  readonly port: number;
  readonly connectionsOpened: number;
}

/** Starts a server that calls `greet` with each connection. The default does nothing, so that a TLS handshake hangs. */
export async function startListener(greet: (socket: Socket) => void = ignore): Promise<Listener> {
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', ignore);
    socket.resume();
    greet(socket);
  });
  await listen(server);
  return {
    port: portOf(server),
    get connectionsOpened() {
      return opened;
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Starts a TLS server that calls `greet` with each connection after its handshake. */
export async function startTlsListener(
  { certificate, key }: Identity,
  greet: (tls: TLSSocket) => void,
): Promise<Listener> {
  const server = createTlsServer({ cert: certificate, key }, (tls) => greet(tls.on('error', ignore)));
  return startListener((socket) => void server.emit('connection', socket.pause()));
}

/** Passes a connection on to a port of this machine, after the bytes that were received of it. Either end closes both. */
export function passOn(socket: Socket, port: number, received: Buffer = Buffer.alloc(0)): void {
  const peer = connect(port, '127.0.0.1').on('error', ignore);
  peer.write(received);
  socket.pipe(peer).pipe(socket);
  peer.on('close', () => socket.destroy());
  socket.on('close', () => peer.destroy());
}

/** Answers a TLS handshake with plain HTTP. */
export function speakPlainHttp(socket: Socket): void {
  socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
}

/** Resets the connection when the client starts its handshake. */
export function resetInHandshake(socket: Socket): void {
  socket.once('data', () => socket.resetAndDestroy());
}

/**
 * Reserves a port that refuses connections. The port is in use as the client end of our own connection. So no process can
 * listen on it.
 */
export async function reserveRefusingPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const peer = await startListener();
  const holder = connect(peer.port, '127.0.0.1');
  await once(holder, 'connect');
  const { localPort } = holder;
  if (localPort === undefined) throw new Error('The connection that holds the port was lost.');
  return {
    port: localPort,
    async [Symbol.asyncDispose]() {
      holder.destroy();
      await peer[Symbol.asyncDispose]();
    },
  };
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function ignore(): void {}
