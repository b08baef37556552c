/** Program that serves all endpoints. */
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createAuthority } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { EndpointContexts, endpointAt } from '../../endpoints.ts';
import { machineTimeMs, writtenAtOf } from '../../written-at.ts';
import type { Arrival, Command, Event, Preparation, Status } from './messages.ts';
import { RequestSplitter } from './request-splitter.ts';

const responses: Readonly<Record<Status, Buffer>> = {
  '200': Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  '503': Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'),
};

const authority = createAuthority('Benchmark');
const contexts = new EndpointContexts(authority);
const sockets = new Set<Socket>();
const connected = new Set<number>();
let preparation: Preparation = { answerAfterMs: 0, milestones: [] };
let connections = 0;
let reconnections = 0;
let resumed = 0;
let requests = 0;
let status: Status = '200';
let rejected = 0;
let arrivals: Arrival[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  connections += 1;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', ignore);
  const endpoint = endpointAt(socket.localAddress ?? '');
  if (connected.has(endpoint)) reconnections += 1;
  connected.add(endpoint);
  const secureContext = contexts.of(endpoint);
  serve(new TLSSocket(socket, { isServer: true, secureContext }));
});

process.on('message', handle);
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () =>
  send({ kind: 'listening', port: portOf(server), authority: authority.certificate }),
);

function serve(socket: TLSSocket): void {
  const splitter = new RequestSplitter();
  socket.on('error', ignore);
  socket.on('secure', () => (resumed += socket.isSessionReused() ? 1 : 0));
  socket.on('data', (chunk: Buffer) => {
    for (const id of splitter.take(chunk)) {
      const { answerAfterMs } = preparation;
      if (answerAfterMs === 0) respond(socket, id);
      else setTimeout(respond, answerAfterMs, socket, id);
    }
  });
}

function respond(socket: TLSSocket, id: string): void {
  socket.write(responses[status]);
  if (status === '200') count(id);
  else rejected += 1;
}

function count(id: string): void {
  requests += 1;
  const at = machineTimeMs();
  arrivals.push({ writtenAt: writtenAtOf(id), answeredAt: at });
  const milestone = preparation.milestones.indexOf(requests);
  if (milestone < 0) return;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const counts = { requests, rejected, connections, reconnections, resumed, at, cpuSeconds };
  send({ kind: 'reached', milestone, counts });
}

function handle(command: Command): void {
  switch (command.kind) {
    case 'prepare':
      preparation = command;
      for (const socket of sockets) socket.destroy();
      connections = reconnections = resumed = requests = rejected = 0;
      status = '200';
      connected.clear();
      arrivals = [];
      return send({ kind: 'prepared' });
    case 'respond-with':
      status = command.status;
      return send({ kind: 'status-set' });
    case 'report':
      return send({ kind: 'reported', arrivals });
  }
}

function send(event: Event): void {
  process.send?.(event);
}

function ignore(): void {}
