/** Program that serves all endpoints, in a process of its own so that nothing else slows it down. */
import { EndpointServer } from './endpoint-server.ts';
import type { ReceiverMessage, Command, ReceivedRequest, ReceiverSetup } from './messages.ts';

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
