import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Identity } from '../../support/tls/authority.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import type { Behaviour, ReceiverMessage, Command, ReceivedRequest, ReceiverSetup } from './messages.ts';

interface ReceiverOptions {
  readonly identity: Identity;
  /** The first behaviour of each endpoint. Each one has its own port. */
  readonly endpoints: readonly Behaviour[];
  readonly respondAfterMs: number;
}

/** Starts the receiver process. Resolves once all its ports are open. */
export async function startReceiver({ identity, endpoints, respondAfterMs }: ReceiverOptions): Promise<Receiver> {
  const first = await findFreePorts(endpoints.length);
  const ports = endpoints.map((_, endpoint) => first + endpoint);
  const setup: ReceiverSetup = { ...identity, ports, respondAfterMs };
  const child = fork(new URL('receiver-process.ts', import.meta.url).pathname, [JSON.stringify(setup)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const receiver = new Receiver(child, ports);
  await receiver.listening;
  await Promise.all(endpoints.map(async (behaviour, endpoint) => receiver.behave(endpoint, behaviour)));
  return receiver;
}

/** The receiver process and the requests that it received. Endpoints are numbered from zero. */
export class Receiver implements AsyncDisposable {
  readonly ports: readonly number[];
  readonly #requests: ReceivedRequest[] = [];
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #listening = Promise.withResolvers<undefined>();
  readonly #pendingCommands = new Map<number, PromiseWithResolvers<undefined>>();
  #lastCommand = 0;

  /** Use `startReceiver`. */
  constructor(child: ChildProcess, ports: readonly number[]) {
    this.#child = child;
    this.ports = ports;
    this.#exit = once(child, 'exit');
    child.on('message', (message: ReceiverMessage) => this.#handleMessage(message));
    child.on('exit', () => {
      for (const command of [this.#listening, ...this.#pendingCommands.values()])
        command.reject(new Error('The receiver ended.'));
    });
  }

  get listening(): Promise<unknown> {
    return this.#listening.promise;
  }

  /** The requests in the order in which they were completed. */
  get requests(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  url(path: string, endpoint = 0): string {
    return `https://localhost:${this.ports[endpoint]}${path}`;
  }

  async behave(endpoint: number, behaviour: Behaviour): Promise<void> {
    await this.#send((number) => ({ kind: 'behave', number, port: this.ports[endpoint] ?? 0, behaviour }));
  }

  /** Resolves once all requests completed before the call are in `requests`. */
  async report(): Promise<void> {
    await this.#send((number) => ({ kind: 'report', number }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  async #send(command: (number: number) => Command): Promise<void> {
    this.#lastCommand += 1;
    const confirmed = Promise.withResolvers<undefined>();
    this.#pendingCommands.set(this.#lastCommand, confirmed);
    this.#child.send(command(this.#lastCommand));
    await confirmed.promise;
  }

  #handleMessage(message: ReceiverMessage): void {
    switch (message.kind) {
      case 'listening':
        return this.#listening.resolve(undefined);
      case 'received':
        this.#requests.push(...message.requests);
        return undefined;
      case 'confirmed':
        this.#pendingCommands.get(message.number)?.resolve(undefined);
        this.#pendingCommands.delete(message.number);
        return undefined;
    }
  }
}
