import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { addressOf } from '../../endpoints.ts';
import type { Arrival, Counts, News, Order, Preparation } from './messages.ts';

type NewsOf<Kind extends News['kind']> = Extract<News, { readonly kind: Kind }>;

/** Starts the receiving process; resolves once its port is open. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url).pathname, [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Receiver(child, await next(child, 'listening'));
}

/** All endpoints, each with an address of its own. */
export class Receiver implements AsyncDisposable {
  /** Whom to trust, as PEM. */
  readonly authority: string;
  readonly #port: number;
  readonly #child: ChildProcess;

  /** Use `startReceiver`. */
  constructor(child: ChildProcess, { port, authority }: NewsOf<'listening'>) {
    this.#child = child;
    this.#port = port;
    this.authority = authority;
  }

  url(endpoint: number): string {
    return `https://${addressOf(endpoint)}:${this.#port}/certificates`;
  }

  /** Forgets what came before, and closes all connections. */
  async prepare(preparation: Preparation): Promise<void> {
    this.#child.send({ kind: 'prepare', ...preparation } satisfies Order);
    await next(this.#child, 'prepared');
  }

  /** The milestone with that number; to be asked for before it is reached. */
  async reached(milestone: number): Promise<Counts> {
    return (await next(this.#child, 'reached', (news) => news.milestone === milestone)).counts;
  }

  async tell(): Promise<readonly Arrival[]> {
    this.#child.send({ kind: 'tell' } satisfies Order);
    return (await next(this.#child, 'told')).arrivals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

async function next<Kind extends News['kind']>(
  child: ChildProcess,
  kind: Kind,
  isIt: (news: NewsOf<Kind>) => boolean = () => true,
): Promise<NewsOf<Kind>> {
  const abort = new AbortController();
  const exit = once(child, 'exit', { signal: abort.signal }).then(() => {
    throw new Error('The receiver ended.');
  });
  const { promise, resolve } = Promise.withResolvers<NewsOf<Kind>>();
  const take = (news: News): void => {
    if (isKind(news, kind) && isIt(news)) resolve(news);
  };
  child.on('message', take);
  try {
    return await Promise.race([promise, exit]);
  } finally {
    child.off('message', take);
    abort.abort();
  }
}

function isKind<Kind extends News['kind']>(news: News, kind: Kind): news is NewsOf<Kind> {
  return news.kind === kind;
}
