/** Program that serves all endpoints. */
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createAuthority } from '../../../support/tls/authority.ts';
import { portOf } from '../../../support/endpoints/endpoint.ts';
import { EndpointContexts, endpointAt } from '../../endpoints.ts';
import { machineTimeMs, writtenAtOf } from '../../written-at.ts';
import { RequestSplitter } from './request-splitter.ts';

/** A command that forgets everything, closes all connections and accepts requests, or one that asks for all arrivals. */
export type Command = ({ readonly kind: 'prepare' } & Preparation) | { readonly kind: 'report' };

export interface Preparation {
  /** Time from the last byte of a request to the response. */
  readonly answerAfterMs: number;
  /** Numbers of requests after which an event is sent. */
  readonly milestones: readonly number[];
}

export type Event =
  | { readonly kind: 'listening'; readonly port: number; readonly authority: string }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'reached'; readonly milestone: number; readonly counts: Counts }
  | { readonly kind: 'reported'; readonly arrivals: readonly Arrival[] };

/** Counts since the last preparation. */
export interface Counts {
  readonly requests: number;
  readonly connections: number;
  /** The time, as `machineTimeMs`. */
  readonly at: number;
  /** CPU time of the receiver since its start. */
  readonly cpuSeconds: number;
}

/** A request. Times are `machineTimeMs`; the certificate's id holds when it was to be written. */
interface Arrival {
  readonly writtenAt: number;
  readonly answeredAt: number;
}

const response = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const authority = createAuthority('Benchmark');
const contexts = new EndpointContexts(authority);
const sockets = new Set<Socket>();
let preparation: Preparation = { answerAfterMs: 0, milestones: [] };
let connections = 0;
let requests = 0;
let arrivals: Arrival[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  connections += 1;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', ignore);
  const endpoint = endpointAt(socket.localAddress ?? '');
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
  socket.on('data', (chunk: Buffer) => {
    for (const id of splitter.take(chunk)) {
      const { answerAfterMs } = preparation;
      if (answerAfterMs === 0) respond(socket, id);
      else setTimeout(respond, answerAfterMs, socket, id);
    }
  });
}

function respond(socket: TLSSocket, id: string): void {
  socket.write(response);
  requests += 1;
  const at = machineTimeMs();
  arrivals.push({ writtenAt: writtenAtOf(id), answeredAt: at });
  const milestone = preparation.milestones.indexOf(requests);
  if (milestone < 0) return;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const counts = { requests, connections, at, cpuSeconds };
  send({ kind: 'reached', milestone, counts });
}

function handle(command: Command): void {
  switch (command.kind) {
    case 'prepare':
      preparation = command;
      for (const socket of sockets) socket.destroy();
      connections = requests = 0;
      arrivals = [];
      return send({ kind: 'prepared' });
    case 'report':
      return send({ kind: 'reported', arrivals });
  }
}

function send(event: Event): void {
  process.send?.(event);
}

function ignore(): void {}
