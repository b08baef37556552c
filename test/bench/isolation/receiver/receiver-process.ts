/** Program that serves all endpoints, in a process of its own so that nothing else slows it down. */
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { RequestReader } from '../../../chaos/receiver/request-reader.ts';
import { createAuthority } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { EndpointContexts, endpointAt } from '../../endpoints.ts';
import { machineTimeMs, writtenAtOf } from '../../written-at.ts';
import type { Arrival, Command, Event, Setup } from './messages.ts';

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const authority = createAuthority('Benchmark');
const contexts = new EndpointContexts(authority);
// Created in advance, so that no handshake waits for a certificate.
for (let endpoint = 0; endpoint < setup.endpoints; endpoint += 1) contexts.of(endpoint);
const sockets = new Set<Socket>();
let noHandshake: ReadonlySet<number> = new Set();
let noResponse: ReadonlySet<number> = new Set();
let arrivals: Arrival[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', ignore);
  const endpoint = endpointAt(socket.localAddress ?? '');
  if (noHandshake.has(endpoint)) socket.resume();
  else serve(new TLSSocket(socket, { isServer: true, secureContext: contexts.of(endpoint) }), endpoint);
});

process.on('message', handle);
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () =>
  send({ kind: 'listening', port: portOf(server), authority: authority.certificate }),
);

function serve(socket: TLSSocket, endpoint: number): void {
  const reader = new RequestReader();
  socket.on('error', ignore);
  socket.on('data', (chunk: Buffer) => {
    for (const { certificateId } of reader.take(chunk)) {
      if (noResponse.has(endpoint)) continue;
      const request = { endpoint, writtenAt: writtenAtOf(certificateId), receivedAt: machineTimeMs() };
      setTimeout(respond, setup.answerAfterMs, socket, request);
    }
  });
}

function respond(socket: TLSSocket, request: Omit<Arrival, 'answeredAt'>): void {
  socket.write(response);
  arrivals.push({ ...request, answeredAt: machineTimeMs() });
}

function handle(command: Command): void {
  switch (command.kind) {
    case 'set-fault':
      noHandshake = new Set(command.noHandshake);
      noResponse = new Set(command.noResponse);
      // Otherwise open connections would keep their old behaviour.
      for (const socket of sockets) socket.destroy();
      return send({ kind: 'fault-set' });
    case 'collect':
      send({ kind: 'collected', arrivals });
      arrivals = [];
  }
}

function send(event: Event): void {
  process.send?.(event);
}

function ignore(): void {}
