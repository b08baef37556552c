import { addressOf } from '../../endpoints.ts';
import { WorkerProcess } from '../../worker-process.ts';
import type { Arrival, Command, Counts, Event, Preparation, Status } from './messages.ts';

const program = new URL('receiver-process.ts', import.meta.url);

/** Starts the process of the receiver. Resolves once its port is open. */
export async function startReceiver(): Promise<Receiver> {
  const worker = new WorkerProcess<Command, Event>(program);
  return new Receiver(worker, await worker.nextEvent('listening'));
}

/** All endpoints, each with an address of its own. */
export class Receiver implements AsyncDisposable {
  /** The certificate authority of the endpoints, as PEM. */
  readonly authority: string;
  readonly #port: number;
  readonly #worker: WorkerProcess<Command, Event>;

  /** Use `startReceiver`. */
  constructor(
    worker: WorkerProcess<Command, Event>,
    { port, authority }: { readonly port: number; readonly authority: string },
  ) {
    this.#worker = worker;
    this.#port = port;
    this.authority = authority;
  }

  url(endpoint: number): string {
    return `https://${addressOf(endpoint)}:${this.#port}/certificates`;
  }

  /** Forgets everything, closes all connections, and accepts requests. */
  async prepare(preparation: Preparation): Promise<void> {
    this.#worker.send({ kind: 'prepare', ...preparation });
    await this.#worker.nextEvent('prepared');
  }

  /** Sets the status of all responses until the next preparation. */
  async respondWith(status: Status): Promise<void> {
    this.#worker.send({ kind: 'respond-with', status });
    await this.#worker.nextEvent('status-set');
  }

  /** Resolves when the milestone with that number is reached. Must be called before that. */
  async reached(milestone: number): Promise<Counts> {
    return (await this.#worker.nextEvent('reached', (event) => event.milestone === milestone)).counts;
  }

  /** Returns the accepted requests since the last preparation. */
  async arrivals(): Promise<readonly Arrival[]> {
    this.#worker.send({ kind: 'report' });
    return (await this.#worker.nextEvent('reported')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
  }
}
