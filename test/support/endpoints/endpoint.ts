import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket, type TlsOptions } from 'node:tls';
import { status, type Answer } from './answers.ts';
import type { Identity } from '../tls/authority.ts';
import { Arrivals } from '../time/arrivals.ts';
import { readRequest, type ReceivedRequest } from './received-request.ts';

interface EndpointOptions {
  readonly identity: Identity;
  /** For every path without a script of its own: in turn, the last one again and again. A number is that status. */
  readonly answers?: Script;
  /** Over the identity, e.g. `{ maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }`. */
  readonly tls?: TlsOptions;
  /** How long an idle connection is kept; for ever when left out. */
  readonly keepAliveMs?: number;
}

type Script = readonly (number | Answer)[];

/** Listens on a free port of 127.0.0.1 at once; `localhost` and `127.0.0.1` both lead there. */
export async function startEndpoint({
  identity,
  answers = [200],
  tls = {},
  keepAliveMs = 0,
}: EndpointOptions): Promise<Endpoint> {
  const server = createServer({ cert: identity.certificate, key: identity.key, ...tls });
  server.keepAliveTimeout = keepAliveMs;
  server.requestTimeout = 0;
  const endpoint = new Endpoint(server, answers);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return endpoint;
}

/** An HTTPS endpoint that keeps every request exactly as it came and answers as its script has it. */
export class Endpoint implements AsyncDisposable {
  readonly #server: Server;
  readonly #scripts = new Map<string, Turns>();
  readonly #anyPath: Turns;
  readonly #arrivals = new Arrivals<ReceivedRequest>('request');
  /** By the client's port, which the connection and the TLS session on it have in common. */
  readonly #connections = new Map<number, Connection>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #opened = 0;

  /** Use `startEndpoint`. */
  constructor(server: Server, answers: Script) {
    this.#server = server;
    this.#anyPath = new Turns(answers);
    server.on('connection', (tcp: Socket) => this.#accept(tcp));
    server.on('request', (request, response) => void this.#take(request, response));
    server.on('tlsClientError', ignoreBrokenConnection);
    server.on('clientError', ignoreBrokenConnection);
  }

  get port(): number {
    return portOf(this.#server);
  }

  url(path = '/', host = 'localhost'): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** From now on, this path answers so: in turn, the last one again and again. Query strings are part of a path. */
  script(path: string, ...answers: Script): void {
    this.#scripts.set(path, new Turns(answers));
  }

  /** All so far, in the order in which their last byte arrived. */
  get requests(): readonly ReceivedRequest[] {
    return this.#arrivals.soFar;
  }

  /** Resolves to the first `count` requests once they are there; rejects when they are not in time. */
  received(count: number, withinMs?: number): Promise<readonly ReceivedRequest[]> {
    return this.#arrivals.first(count, withinMs);
  }

  /** How many connections were accepted so far, whether TLS came about on them or not. */
  get connectionsOpened(): number {
    return this.#opened;
  }

  get connectionsOpen(): number {
    return this.#connections.size;
  }

  /** Closes every connection, as a load balancer does with idle ones; new ones are accepted. */
  closeConnections(): void {
    for (const { tcp } of this.#connections.values()) tcp.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#arrivals.close();
    this.#server.close();
    this.closeConnections();
    await once(this.#server, 'close');
  }

  #accept(tcp: Socket): void {
    const { remotePort } = tcp;
    if (remotePort === undefined) return;
    this.#opened += 1;
    this.#connections.set(remotePort, { tcp, number: this.#opened });
    tcp.on('error', ignoreBrokenConnection);
    tcp.on('close', () => this.#connections.delete(remotePort));
  }

  async #take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const tls = message.socket;
    const connection = this.#connections.get(tls.remotePort ?? 0);
    if (!(tls instanceof TLSSocket) || connection === undefined) return;
    response.on('error', ignoreBrokenConnection);
    const request = await readRequest(message, tls, connection.number);
    // Whoever breaks off before the last byte of a request has not made one.
    if (request === undefined) return;
    const turns = this.#scripts.get(request.path) ?? this.#anyPath;
    const answer = turns.next();
    this.#arrivals.add(request);
    answer({ request, response, tls, tcp: connection.tcp, after: (ms, run) => this.#after(ms, run) });
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}

interface Connection {
  readonly tcp: Socket;
  readonly number: number;
}

/** Answers in turn, the last one again and again. */
class Turns {
  readonly #answers: Script;
  #taken = 0;

  constructor(answers: Script) {
    this.#answers = answers;
  }

  next(): Answer {
    const answer = this.#answers[Math.min(this.#taken, this.#answers.length - 1)] ?? 200;
    this.#taken += 1;
    return typeof answer === 'number' ? status(answer) : answer;
  }
}

/** A client may break off whenever it likes: that is what many tests are about, and nothing to report. */
function ignoreBrokenConnection(): void {}

/** The port of a server that listens on TCP. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.port;
}
