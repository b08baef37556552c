import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface AnyEvent {
  readonly kind: string;
}

type OfKind<Event extends AnyEvent, Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

/** A program in a child process that has the Node.js options of this one. It receives commands and sends events. */
export class WorkerProcess<Command extends object, Event extends AnyEvent> implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(program: URL, parameters: readonly string[] = []) {
    this.#child = fork(program.pathname, [...parameters], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  send(command: Command): void {
    this.#child.send(command);
  }

  /** Resolves to the next event of that kind that matches. Rejects if the process ends first. */
  async nextEvent<Kind extends Event['kind']>(
    kind: Kind,
    matches: (event: OfKind<Event, Kind>) => boolean = () => true,
  ): Promise<OfKind<Event, Kind>> {
    const child = this.#child;
    const abort = new AbortController();
    const exit = once(child, 'exit', { signal: abort.signal }).then(() => {
      throw new Error('The process ended.');
    });
    const { promise, resolve } = Promise.withResolvers<OfKind<Event, Kind>>();
    const receive = (event: Event): void => {
      if (isOfKind<Event, Kind>(event, kind) && matches(event)) resolve(event);
    };
    child.on('message', receive);
    try {
      return await Promise.race([promise, exit]);
    } finally {
      child.off('message', receive);
      abort.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function isOfKind<Event extends AnyEvent, Kind extends Event['kind']>(
  event: Event,
  kind: Kind,
): event is OfKind<Event, Kind> {
  return event.kind === kind;
}
