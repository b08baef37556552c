import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { addressOf } from '../../endpoints.ts';
import type { Arrival, News, Order, Setup } from './messages.ts';

/** Starts the receiving process; resolves once its port is open. */
export async function startReceiver(setup: Setup): Promise<Receiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url).pathname, [JSON.stringify(setup)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const news = await next(child, 'listening');
  return new Receiver(child, news);
}

/** All endpoints, each with an address of its own. */
export class Receiver implements AsyncDisposable {
  readonly authority: string;
  readonly port: number;
  readonly #child: ChildProcess;

  /** Use `startReceiver`. */
  constructor(child: ChildProcess, { port, authority }: Extract<News, { kind: 'listening' }>) {
    this.#child = child;
    this.port = port;
    this.authority = authority;
  }

  url(endpoint: number): string {
    return `https://${addressOf(endpoint)}:${this.port}/`;
  }

  async behave(bad: Omit<Extract<Order, { kind: 'behave' }>, 'kind'>): Promise<void> {
    this.#child.send({ kind: 'behave', ...bad } satisfies Order);
    await next(this.#child, 'behaves');
  }

  /** What healthy endpoints got since the last time. */
  async collect(): Promise<readonly Arrival[]> {
    this.#child.send({ kind: 'collect' } satisfies Order);
    return (await next(this.#child, 'collected')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

async function next<Kind extends News['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<News, { readonly kind: Kind }>> {
  const [news] = (await once(child, 'message')) as [News];
  if (!isKind(news, kind)) throw new Error(`The receiver says ${news.kind} instead of ${kind}.`);
  return news;
}

function isKind<Kind extends News['kind']>(news: News, kind: Kind): news is Extract<News, { readonly kind: Kind }> {
  return news.kind === kind;
}
