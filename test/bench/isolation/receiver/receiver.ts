import { addressOf } from '../../endpoints.ts';
import { WorkerProcess } from '../../worker-process.ts';
import type { Arrival, Command, Event, Setup } from './messages.ts';

const program = new URL('receiver-process.ts', import.meta.url);

/** Starts the process of the receiver. Resolves once its port is open. */
export async function startReceiver(setup: Setup): Promise<Receiver> {
  const worker = new WorkerProcess<Command, Event>(program, [JSON.stringify(setup)]);
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
    return `https://${addressOf(endpoint)}:${this.#port}/`;
  }

  async setFault(fault: Omit<Extract<Command, { kind: 'set-fault' }>, 'kind'>): Promise<void> {
    const { noHandshake, noResponse } = fault;
    this.#worker.send({ kind: 'set-fault', noHandshake, noResponse });
    await this.#worker.nextEvent('fault-set');
  }

  /** Returns the requests since the last call that got a 2xx. */
  async collect(): Promise<readonly Arrival[]> {
    this.#worker.send({ kind: 'collect' });
    return (await this.#worker.nextEvent('collected')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
  }
}
