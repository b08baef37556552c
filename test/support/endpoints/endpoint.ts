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
  /** The script of all paths without their own. A number is a response with that status. */
  readonly answers?: Script;
  /** More options of TLS, e.g. `{ maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }`. */
  readonly tls?: TlsOptions;
  /** The time after which an idle connection is closed; never when left out. */
  readonly keepAliveMs?: number;
}

/** Answers to successive requests. The last one repeats. */
type Script = readonly (number | Answer)[];

/** Starts an endpoint on a free port. It is reached as `localhost` and as `127.0.0.1`. */
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

/** An HTTPS endpoint that records every request unchanged and answers according to a script. */
export class Endpoint implements AsyncDisposable {
  readonly #server: Server;
  readonly #scripts = new Map<string, AnswerSequence>();
  readonly #anyPath: AnswerSequence;
  readonly #arrivals = new Arrivals<ReceivedRequest>('request');
  /** Connections by client port, which identifies both the TCP connection and its TLS session. */
  readonly #connections = new Map<number, Connection>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #opened = 0;

  /** Use `startEndpoint`. */
  constructor(server: Server, answers: Script) {
    this.#server = server;
    this.#anyPath = new AnswerSequence(answers);
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

  /** Sets the script of a path. The query string is part of the path. */
  script(path: string, ...answers: Script): void {
    this.#scripts.set(path, new AnswerSequence(answers));
  }

  /** All requests so far, in the order in which their last byte arrived. */
  get requests(): readonly ReceivedRequest[] {
    return this.#arrivals.soFar;
  }

  /** Resolves to the first `count` requests. Rejects when fewer arrive in time. */
  received(count: number, withinMs?: number): Promise<readonly ReceivedRequest[]> {
    return this.#arrivals.first(count, withinMs);
  }

  /** The number of TCP connections so far, with or without a TLS session. */
  get connectionsOpened(): number {
    return this.#opened;
  }

  get connectionsOpen(): number {
    return this.#connections.size;
  }

  /** Closes every connection, like a load balancer does with idle ones. New connections are accepted. */
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
    // An incomplete request does not count.
    if (request === undefined) return;
    const sequence = this.#scripts.get(request.path) ?? this.#anyPath;
    const answer = sequence.next();
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

/** A script and the position in it. */
class AnswerSequence {
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

/** Does nothing: many tests break connections on purpose. */
function ignoreBrokenConnection(): void {}

/** Returns the port of a server that listens on TCP. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.port;
}
