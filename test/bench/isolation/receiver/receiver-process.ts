/** The program of the receiving side: all endpoints in a process of its own, so that nothing else slows it down. */
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { RequestReader } from '../../../chaos/receiver/request-reader.ts';
import { createAuthority } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { EndpointContexts, endpointAt } from '../../endpoints.ts';
import { machineTimeMs, writtenAtOf } from '../../written-at.ts';
import type { Arrival, News, Order, Setup } from './messages.ts';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const authority = createAuthority('Benchmark');
const contexts = new EndpointContexts(authority);
// Made beforehand: no handshake waits for a certificate.
for (let endpoint = 0; endpoint < setup.endpoints; endpoint += 1) contexts.of(endpoint);
const sockets = new Set<Socket>();
let silent: ReadonlySet<number> = new Set();
let mute: ReadonlySet<number> = new Set();
let arrivals: Arrival[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', ignore);
  const endpoint = endpointAt(socket.localAddress ?? '');
  if (silent.has(endpoint)) socket.resume();
  else serve(new TLSSocket(socket, { isServer: true, secureContext: contexts.of(endpoint) }), endpoint);
});

process.on('message', obey);
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () =>
  tell({ kind: 'listening', port: portOf(server), authority: authority.certificate }),
);

function serve(socket: TLSSocket, endpoint: number): void {
  const reader = new RequestReader();
  socket.on('error', ignore);
  socket.on('data', (chunk: Buffer) => {
    for (const { certificateId } of reader.take(chunk)) {
      if (mute.has(endpoint)) continue;
      const request = { endpoint, writtenAt: writtenAtOf(certificateId), receivedAt: machineTimeMs() };
      setTimeout(give, setup.answerAfterMs, socket, request);
    }
  });
}

function give(socket: TLSSocket, request: Omit<Arrival, 'answeredAt'>): void {
  socket.write(answer);
  arrivals.push({ ...request, answeredAt: machineTimeMs() });
}

function obey(order: Order): void {
  switch (order.kind) {
    case 'behave':
      silent = new Set(order.silent);
      mute = new Set(order.mute);
      // Otherwise connections that are open would go on as if nothing were wrong.
      for (const socket of sockets) socket.destroy();
      return tell({ kind: 'behaves' });
    case 'collect':
      tell({ kind: 'collected', arrivals });
      arrivals = [];
  }
}

function tell(news: News): void {
  process.send?.(news);
}

function ignore(): void {}
