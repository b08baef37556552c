import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Told {
  readonly kind: string;
}

type Of<News extends Told, Kind extends News['kind']> = Extract<News, { readonly kind: Kind }>;

/** A program of ours in a process of its own, with the options that Node.js has here. It takes orders and tells news. */
export class WorkerProcess<Order extends object, News extends Told> implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(program: URL, parameters: readonly string[] = []) {
    this.#child = fork(program.pathname, [...parameters], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  /** The next news of that kind for which this holds. Rejects when the process ends before. */
  async next<Kind extends News['kind']>(
    kind: Kind,
    isIt: (news: Of<News, Kind>) => boolean = () => true,
  ): Promise<Of<News, Kind>> {
    const child = this.#child;
    const abort = new AbortController();
    const exit = once(child, 'exit', { signal: abort.signal }).then(() => {
      throw new Error('The process ended.');
    });
    const { promise, resolve } = Promise.withResolvers<Of<News, Kind>>();
    const take = (news: News): void => {
      if (isOf<News, Kind>(news, kind) && isIt(news)) resolve(news);
    };
    child.on('message', take);
    try {
      return await Promise.race([promise, exit]);
    } finally {
      child.off('message', take);
      abort.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function isOf<News extends Told, Kind extends News['kind']>(news: News, kind: Kind): news is Of<News, Kind> {
  return news.kind === kind;
}
