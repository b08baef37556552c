import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { addressOf } from '../../endpoints.ts';
import type { Command, Counts, Event, Preparation } from './receiver-process.ts';

type OfKind<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

/** Starts the process of the receiver. Resolves once its port is open. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url).pathname, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Receiver(child, await nextEvent(child, 'listening'));
}

/** All endpoints, each with an address of its own. */
export class Receiver implements AsyncDisposable {
  /** The certificate authority of the endpoints, as PEM. */
  readonly authority: string;
  readonly #port: number;
  readonly #child: ChildProcess;

  /** Use `startReceiver`. */
  constructor(child: ChildProcess, { port, authority }: OfKind<'listening'>) {
    this.#child = child;
    this.#port = port;
    this.authority = authority;
  }

  url(endpoint: number): string {
    return `https://${addressOf(endpoint)}:${this.#port}/certificates`;
  }

  /** Forgets everything, closes all connections, and accepts requests. */
  async prepare(preparation: Preparation): Promise<void> {
    await this.#ask({ kind: 'prepare', ...preparation }, 'prepared');
  }

  /** Resolves when the milestone with that number is reached. Must be called before that. */
  async reached(milestone: number): Promise<Counts> {
    return (await nextEvent(this.#child, 'reached', (event) => event.milestone === milestone)).counts;
  }

  /** Returns the requests since the last preparation. */
  async arrivals(): Promise<OfKind<'reported'>['arrivals']> {
    return (await this.#ask({ kind: 'report' }, 'reported')).arrivals;
  }

  async #ask<Kind extends Event['kind']>(command: Command, kind: Kind): Promise<OfKind<Kind>> {
    this.#child.send(command);
    return nextEvent(this.#child, kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** Resolves to the next event of that kind that matches. Rejects if the process ends first. */
async function nextEvent<Kind extends Event['kind']>(
  child: ChildProcess,
  kind: Kind,
  matches: (event: OfKind<Kind>) => boolean = () => true,
): Promise<OfKind<Kind>> {
  const { promise, resolve, reject } = Promise.withResolvers<OfKind<Kind>>();
  const receive = (event: Event): void => {
    if (event.kind === kind && matches(event as OfKind<Kind>)) resolve(event as OfKind<Kind>);
  };
  const end = (): void => reject(new Error('The receiver ended.'));
  child.on('message', receive).on('exit', end);
  try {
    return await promise;
  } finally {
    child.off('message', receive).off('exit', end);
  }
}
