/** The program of the receiving side: many endpoints in a process of its own, so that nothing else slows it down. */
import { Door } from './endpoint-server.ts';
import type { News, Order, Reception, Setup } from './messages.ts';

const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;
const reportEveryMs = 50;
let received: Reception[] = [];

const doors = new Map(
  setup.ports.map((port) => [
    port,
    new Door({
      ...setup,
      port,
      tell: (request, accepted) => void received.push({ ...request, at: Date.now(), accepted }),
    }),
  ]),
);

function tell(news: News): void {
  process.send?.(news);
}

function report(): void {
  if (received.length > 0) tell({ kind: 'received', requests: received });
  received = [];
}

async function obey(order: Order): Promise<void> {
  if (order.kind === 'behave') await doors.get(order.port)?.behave(order.behaviour);
  report();
  tell({ kind: 'confirmed', number: order.number });
}

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
await Promise.all([...doors.values()].map(async (door) => door.open()));
setInterval(report, reportEveryMs);
tell({ kind: 'listening' });
