/** Program that serves all endpoints, in a process of its own so that nothing else slows it down. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import {
  type ReceiverMessage,
  type Command,
  type ReceivedRequest,
  type ReceiverSetup,
  deliveryIdHeader,
  type Behaviour,
} from './messages.ts';

interface EndpointServerOptions extends Omit<ReceiverSetup, 'ports'> {
  readonly port: number;
  /** Called when the response to a request is sent. */
  readonly onRequest: (request: Omit<ReceivedRequest, 'at'>) => void;
}

/** Connections stay open for as long as the service wants. */
const patience = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };

/** The server of one endpoint, on its own port. A change of its behaviour also applies to open connections. */
class EndpointServer {
  readonly #options: EndpointServerOptions;
  readonly #server: Server;
  readonly #refused = new Set<string>();
  #behaviour: Behaviour = 'healthy';

  constructor(options: EndpointServerOptions) {
    this.#options = options;
    const { certificate, key } = options;
    const settings = { cert: certificate, key, noDelay: true, ...patience };
    this.#server = createServer(settings, (request, response) => void this.#serve(request, response));
  }

  async open(): Promise<void> {
    this.#server.listen(this.#options.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { onRequest, respondAfterMs } = this.#options;
    // Resets are expected: this suite kills the service on purpose.
    const chunks: Buffer[] | undefined = await request.toArray().catch(() => undefined);
    if (chunks === undefined) return;
    const { _id: certificateId } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly _id: string };
    const deliveryId = String(request.headers[deliveryIdHeader]);
    const isAccepted = this.#accepts(deliveryId);
    setTimeout(() => {
      // A connection that was closed before its response has accepted nothing.
      onRequest({ deliveryId, certificateId, accepted: isAccepted && request.socket.writable });
      response.writeHead(isAccepted ? 200 : 503, { 'content-length': 0 }).end();
    }, respondAfterMs);
  }

  #accepts(deliveryId: string): boolean {
    if (this.#behaviour !== 'fail_first') return this.#behaviour === 'healthy';
    if (this.#refused.has(deliveryId)) return true;
    this.#refused.add(deliveryId);
    return false;
  }
}

const setup = JSON.parse(process.argv[2] ?? '{}') as ReceiverSetup;
const reportEveryMs = 50;
let received: ReceivedRequest[] = [];

const endpoints = new Map(
  setup.ports.map((port) => [
    port,
    new EndpointServer({
      ...setup,
      port,
      onRequest: (request) => void received.push({ ...request, at: Date.now() }),
    }),
  ]),
);

function send(message: ReceiverMessage): void {
  process.send?.(message);
}

function report(): void {
  if (received.length > 0) send({ kind: 'received', requests: received });
  received = [];
}

async function execute(command: Command): Promise<void> {
  if (command.kind === 'behave') endpoints.get(command.port)?.behave(command.behaviour);
  report();
  send({ kind: 'confirmed', number: command.number });
}

process.on('message', (command: Command) => void execute(command));
process.on('disconnect', () => process.exit());
await Promise.all([...endpoints.values()].map(async (endpoint) => endpoint.open()));
setInterval(report, reportEveryMs);
send({ kind: 'listening' });
