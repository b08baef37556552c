/** The program of the receiving side: all endpoints in a process of its own. */
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createAuthority } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { EndpointContexts, endpointAt } from '../../endpoints.ts';
import { machineTimeMs, writtenAtOf } from '../../written-at.ts';
import type { Arrival, News, Order, Preparation } from './messages.ts';
import { RequestSplitter } from './request-splitter.ts';

const acceptance = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const refusal = Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');

const authority = createAuthority('Benchmark');
const contexts = new EndpointContexts(authority);
const sockets = new Set<Socket>();
const connected = new Set<number>();
let preparation: Preparation = { answerAfterMs: 0, milestones: [] };
let connections = 0;
let again = 0;
let resumed = 0;
let requests = 0;
let refuses = false;
let refused = 0;
let arrivals: Arrival[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  connections += 1;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', ignore);
  const endpoint = endpointAt(socket.localAddress ?? '');
  if (connected.has(endpoint)) again += 1;
  connected.add(endpoint);
  const secureContext = contexts.of(endpoint);
  serve(new TLSSocket(socket, { isServer: true, secureContext }));
});

process.on('message', obey);
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () =>
  tell({ kind: 'listening', port: portOf(server), authority: authority.certificate }),
);

function serve(socket: TLSSocket): void {
  const splitter = new RequestSplitter();
  socket.on('error', ignore);
  socket.on('secure', () => (resumed += socket.isSessionReused() ? 1 : 0));
  socket.on('data', (chunk: Buffer) => {
    for (const id of splitter.take(chunk)) {
      const { answerAfterMs } = preparation;
      if (answerAfterMs === 0) give(socket, id);
      else setTimeout(give, answerAfterMs, socket, id);
    }
  });
}

function give(socket: TLSSocket, id: string): void {
  socket.write(refuses ? refusal : acceptance);
  if (refuses) refused += 1;
  else count(id);
}

function count(id: string): void {
  requests += 1;
  const at = machineTimeMs();
  arrivals.push({ writtenAt: writtenAtOf(id), answeredAt: at });
  const milestone = preparation.milestones.indexOf(requests);
  if (milestone < 0) return;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  tell({ kind: 'reached', milestone, counts: { requests, refused, connections, again, resumed, at, cpuSeconds } });
}

function obey(order: Order): void {
  switch (order.kind) {
    case 'prepare':
      preparation = order;
      for (const socket of sockets) socket.destroy();
      connections = again = resumed = requests = refused = 0;
      refuses = false;
      connected.clear();
      arrivals = [];
      return tell({ kind: 'prepared' });
    case 'turn':
      refuses = order.to === 'refuse';
      return tell({ kind: 'turned' });
    case 'tell':
      return tell({ kind: 'told', arrivals });
  }
}

function tell(news: News): void {
  process.send?.(news);
}

function ignore(): void {}
