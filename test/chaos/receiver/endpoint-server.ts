import { once } from 'node:events';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Behaviour, ReceiverSetup } from './messages.ts';
import { RequestReader, type RequestRead } from './request-reader.ts';

interface EndpointServerOptions extends Omit<ReceiverSetup, 'ports'> {
  readonly port: number;
  /** Called when the response to a request is sent. */
  readonly onRequest: (request: RequestRead, accepted: boolean) => void;
}

const responses = {
  healthy: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  error: 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n',
} as const;

/** The server of one endpoint, on its own port. A change of its behaviour also applies to open connections. */
export class EndpointServer {
  readonly #options: EndpointServerOptions;
  readonly #server: Server;
  readonly #refused = new Set<string>();
  #behaviour: Behaviour = 'healthy';

  constructor(options: EndpointServerOptions) {
    this.#options = options;
    const { certificate, key } = options;
    this.#server = createServer({ cert: certificate, key, noDelay: true }, (socket) => this.#serve(socket));
    this.#server.on('tlsClientError', ignore);
  }

  async open(): Promise<void> {
    this.#server.listen(this.#options.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
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
    setTimeout(() => {
      // A connection that was closed before its response has accepted nothing.
      onRequest(request, behaviour === 'healthy' && socket.writable);
      socket.write(responses[behaviour]);
    }, respondAfterMs);
  }

  #behaviourFor({ deliveryId }: RequestRead): keyof typeof responses {
    if (this.#behaviour !== 'fail_first') return this.#behaviour;
    if (this.#refused.has(deliveryId)) return 'healthy';
    this.#refused.add(deliveryId);
    return 'error';
  }
}

/** Resets are expected: this suite kills the service on purpose. */
function ignore(): void {}
