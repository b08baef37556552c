import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Identity } from '../../support/tls/authority.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import type { Behaviour, News, Order, Reception, Setup } from './messages.ts';

interface ReceiverOptions {
  readonly identity: Identity;
  /** A port each, which behaves so until it is told otherwise. */
  readonly doors: readonly Behaviour[];
  readonly answerAfterMs: number;
}

/** Starts the receiving process; resolves once all its ports are open. */
export async function startReceiver({ identity, doors, answerAfterMs }: ReceiverOptions): Promise<Receiver> {
  const first = await findFreePorts(doors.length);
  const ports = doors.map((_, door) => first + door);
  const setup: Setup = { ...identity, ports, answerAfterMs };
  const child = fork(new URL('receiver-process.ts', import.meta.url).pathname, [JSON.stringify(setup)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const receiver = new Receiver(child, ports);
  await receiver.listening;
  await Promise.all(doors.map(async (behaviour, door) => receiver.behave(door, behaviour)));
  return receiver;
}

/** The receiving process, and all that it has received. Doors count from zero. */
export class Receiver implements AsyncDisposable {
  readonly ports: readonly number[];
  readonly #requests: Reception[] = [];
  readonly #accepted = new Set<string>();
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #listening = Promise.withResolvers<undefined>();
  readonly #orders = new Map<number, PromiseWithResolvers<undefined>>();
  #lastOrder = 0;

  /** Use `startReceiver`. */
  constructor(child: ChildProcess, ports: readonly number[]) {
    this.#child = child;
    this.ports = ports;
    this.#exit = once(child, 'exit');
    child.on('message', (news: News) => this.#take(news));
    child.on('exit', () => {
      for (const order of [this.#listening, ...this.#orders.values()]) order.reject(new Error('The receiver ended.'));
    });
  }

  get listening(): Promise<unknown> {
    return this.#listening.promise;
  }

  /** In the order in which they were done with. */
  get requests(): readonly Reception[] {
    return this.#requests;
  }

  /** The deliveries that were answered with a 2xx. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted;
  }

  url(path: string, door = 0): string {
    return `https://localhost:${this.ports[door]}${path}`;
  }

  async behave(door: number, behaviour: Behaviour): Promise<void> {
    await this.#order((number) => ({ kind: 'behave', number, port: this.ports[door] ?? 0, behaviour }));
  }

  /** Resolves once all that was done with before the call is known here. */
  async report(): Promise<void> {
    await this.#order((number) => ({ kind: 'report', number }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  async #order(order: (number: number) => Order): Promise<void> {
    this.#lastOrder += 1;
    const confirmed = Promise.withResolvers<undefined>();
    this.#orders.set(this.#lastOrder, confirmed);
    this.#child.send(order(this.#lastOrder));
    await confirmed.promise;
  }

  #take(news: News): void {
    switch (news.kind) {
      case 'listening':
        return this.#listening.resolve(undefined);
      case 'received':
        for (const request of news.requests) {
          this.#requests.push(request);
          if (request.accepted) this.#accepted.add(request.deliveryId);
        }
        return undefined;
      case 'confirmed':
        this.#orders.get(news.number)?.resolve(undefined);
        this.#orders.delete(news.number);
        return undefined;
    }
  }
}
