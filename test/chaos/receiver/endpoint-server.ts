import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Behaviour, ReceiverSetup } from './messages.ts';
import { RequestReader, type RequestRead } from './request-reader.ts';

type RequestListener = (request: RequestRead, accepted: boolean) => void;

interface EndpointServerOptions extends Omit<ReceiverSetup, 'ports'> {
  readonly port: number;
  /** Called when the response to a request is sent, or at once if the request gets no response. */
  readonly onRequest: RequestListener;
}

/**
 * The server of one endpoint, on its own port. Its behaviour can be changed while it runs, and a change also applies to
 * open connections.
 */
export class EndpointServer {
  readonly #options: EndpointServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #refused = new Set<string>();
  #behaviour: Behaviour = 'healthy';

  constructor(options: EndpointServerOptions) {
    this.#options = options;
    const { certificate, key } = options;
    const tls = createTlsServer({ cert: certificate, key }, (socket) => this.#serve(socket));
    tls.on('tlsClientError', ignore);
    this.#server = createServer((socket) => this.#receive(socket, (healthy) => tls.emit('connection', healthy)));
  }

  async open(): Promise<void> {
    this.#server.listen(this.#options.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async behave(behaviour: Behaviour): Promise<void> {
    this.#behaviour = behaviour;
    if (behaviour !== 'refuse' && !this.#server.listening) await this.open();
    if (!isBeforeRequests(behaviour)) return;
    // Otherwise open connections would keep working.
    for (const socket of this.#sockets) socket.destroy();
    if (behaviour === 'refuse') this.#server.close();
  }

  #receive(socket: Socket, startTls: (socket: Socket) => void): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', ignore);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#behaviour === 'hang_before_tls') socket.resume();
    else if (this.#behaviour === 'hang_in_tls') socket.once('data', () => void socket.write(beginningOfServerHello));
    else startTls(socket);
  }

  #serve(socket: TLSSocket): void {
    const reader = new RequestReader();
    socket.on('error', ignore);
    socket.on('data', (chunk: Buffer) => {
      for (const request of reader.take(chunk)) this.#respond(socket, request);
    });
  }

  #respond(socket: TLSSocket, request: RequestRead): void {
    const { onRequest, respondAfterMs } = this.#options;
    const behaviour = this.#behaviourFor(request);
    if (behaviour === 'reset') socket.destroy();
    const response = responses[behaviour];
    if (response === undefined) return onRequest(request, false);
    setTimeout(() => {
      // A connection that was closed before its response has accepted nothing.
      onRequest(request, response.accepts && socket.writable);
      socket.write(response.bytes);
    }, respondAfterMs);
  }

  #behaviourFor({ deliveryId }: RequestRead): Behaviour {
    if (this.#behaviour !== 'fail_first') return this.#behaviour;
    if (this.#refused.has(deliveryId)) return 'healthy';
    this.#refused.add(deliveryId);
    return 'error';
  }
}

interface EndpointResponse {
  readonly bytes: string;
  /** True if the head of the response has a 2xx status. The service looks at nothing else. */
  readonly accepts: boolean;
}

/** The responses by behaviour. The other behaviours send none. */
const responses: Readonly<Partial<Record<Behaviour, EndpointResponse>>> = {
  healthy: { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', accepts: true },
  error: { bytes: 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', accepts: false },
  garbage: { bytes: '\u0000\u0001 this is no protocol \r\n\r\n', accepts: false },
  hang_in_head: { bytes: 'HTTP/1.1 200 OK\r\nContent-Le', accepts: false },
  hang_in_body: { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', accepts: true },
};

/** The header of a handshake record of 122 bytes, with only two of the bytes (RFC 8446, 5.1). */
const beginningOfServerHello = Buffer.of(0x16, 0x03, 0x03, 0x00, 0x7a, 0x02, 0x00);

function isBeforeRequests(behaviour: Behaviour): boolean {
  return behaviour === 'refuse' || behaviour === 'hang_before_tls' || behaviour === 'hang_in_tls';
}

/** Resets are expected: this suite kills the service on purpose. */
function ignore(): void {}
