import { addressOf } from '../../endpoints.ts';
import { WorkerProcess } from '../../worker-process.ts';
import type { Arrival, News, Order, Setup } from './messages.ts';

const program = new URL('receiver-process.ts', import.meta.url);

/** Starts the receiving process; resolves once its port is open. */
export async function startReceiver(setup: Setup): Promise<Receiver> {
  const worker = new WorkerProcess<Order, News>(program, [JSON.stringify(setup)]);
  return new Receiver(worker, await worker.next('listening'));
}

/** All endpoints, each with an address of its own. */
export class Receiver implements AsyncDisposable {
  /** Whom to trust, as PEM. */
  readonly authority: string;
  readonly #port: number;
  readonly #worker: WorkerProcess<Order, News>;

  /** Use `startReceiver`. */
  constructor(
    worker: WorkerProcess<Order, News>,
    { port, authority }: { readonly port: number; readonly authority: string },
  ) {
    this.#worker = worker;
    this.#port = port;
    this.authority = authority;
  }

  url(endpoint: number): string {
    return `https://${addressOf(endpoint)}:${this.#port}/`;
  }

  async behave(bad: Omit<Extract<Order, { kind: 'behave' }>, 'kind'>): Promise<void> {
    this.#worker.order({ kind: 'behave', ...bad });
    await this.#worker.next('behaves');
  }

  /** What healthy endpoints got since the last time. */
  async collect(): Promise<readonly Arrival[]> {
    this.#worker.order({ kind: 'collect' });
    return (await this.#worker.next('collected')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
  }
}
