import { addressOf } from '../../endpoints.ts';
import { WorkerProcess } from '../../worker-process.ts';
import type { Arrival, Counts, News, Order, Preparation } from './messages.ts';

const program = new URL('receiver-process.ts', import.meta.url);

/** Starts the receiving process; resolves once its port is open. */
export async function startReceiver(): Promise<Receiver> {
  const worker = new WorkerProcess<Order, News>(program);
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
    return `https://${addressOf(endpoint)}:${this.#port}/certificates`;
  }

  /** Forgets what came before, and closes all connections. */
  async prepare(preparation: Preparation): Promise<void> {
    this.#worker.order({ kind: 'prepare', ...preparation });
    await this.#worker.next('prepared');
  }

  /** Once it was prepared, it accepts requests. */
  async turn(to: 'refuse' | 'accept'): Promise<void> {
    this.#worker.order({ kind: 'turn', to });
    await this.#worker.next('turned');
  }

  /** The milestone with that number; to be asked for before it is reached. */
  async reached(milestone: number): Promise<Counts> {
    return (await this.#worker.next('reached', (news) => news.milestone === milestone)).counts;
  }

  async tell(): Promise<readonly Arrival[]> {
    this.#worker.order({ kind: 'tell' });
    return (await this.#worker.next('told')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
  }
}
