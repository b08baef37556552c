import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { systemClock, type MonotonicClock, sleep } from '../../lib/clock.ts';
import {
  adminPath,
  answerAdmin,
  failedAnswer,
  isExpensive,
  type AdminAnswer,
  type AdminSources,
} from './admin-answers.ts';
import { type ConnectionEvents, createBoundedServer } from './bounded-server.ts';

interface AdminServerOptions extends AdminSources {
  readonly host: string;
  /** `HTTP_PORT`. 0 picks any free port. */
  readonly port: number;
  readonly events: AdminServerEvents;
  readonly clock?: MonotonicClock;
}

export interface AdminServerEvents extends ConnectionEvents {
  /** Our code threw while it answered a request. `path` is undefined for one that does not exist. */
  adminFailed(failed: { readonly path: string | undefined; readonly error: unknown }): void;
}

export interface AdminServer extends AsyncDisposable {
  readonly port: number;
}

/** The admin server can't listen. The message names the setting to check. */
export class AdminServerError extends Error {
  override readonly name = 'AdminServerError';
}

/** Time in ms for requests in flight when the server is disposed. Bounds its part of the shutdown. */
const closingMs = 1000;

/** Serves the status page, probes and metrics over plain HTTP. Throws an AdminServerError if it can't listen. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const answering = new Set<Promise<void>>();
  const turns = new AnswerTurns(options.clock ?? systemClock);
  const server = createBoundedServer(async (request, response) => {
    const answered = respond(request, response, { ...options, turns }).finally(() => answering.delete(answered));
    answering.add(answered);
    return answered;
  }, options.events);
  const port = await listen(server, options);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await close(server);
      await Promise.all(answering);
    },
  };
}

interface RespondOptions extends AdminServerOptions {
  readonly turns: AnswerTurns;
}

async function respond(request: IncomingMessage, response: ServerResponse, options: RespondOptions): Promise<void> {
  const { url: target = '' } = request;
  // A client that is gone takes no turn.
  const work = async (): Promise<AdminAnswer | undefined> =>
    request.socket.destroyed ? undefined : compute(request, options);
  const answer = isExpensive(target) ? await options.turns.take(work) : await work();
  if (answer === undefined) return;
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

async function compute(
  { method = '', url: target = '', headers: { accept } }: IncomingMessage,
  options: RespondOptions,
): Promise<AdminAnswer> {
  try {
    return await answerAdmin({ method, target, accept }, options);
  } catch (error) {
    options.events.adminFailed({ path: adminPath(target), error });
    return failedAnswer();
  }
}

async function listen(server: Server, { host, port }: AdminServerOptions): Promise<number> {
  // Without a host, Node listens on `::`, or on `0.0.0.0` where the machine has no IPv6.
  server.listen(port, host === '::' ? undefined : host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'failed';
    const problem = code === 'EADDRINUSE' ? `port ${port} (HTTP_PORT) is in use` : `HTTP_HOST or HTTP_PORT: ${code}`;
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    throw new AdminServerError(`cannot listen on ${authority}: ${problem}`, { cause });
  }
  const address = server.address();
  return address === null || typeof address === 'string' ? port : address.port;
}

async function close(server: Server): Promise<void> {
  using _deadline = setTimeout(() => server.closeAllConnections(), closingMs);
  await server[Symbol.asyncDispose]();
}

/** The rest after a turn, as a multiple of its duration. Answers then take a fifth of the processor at most. */
const restPerTurn = 4;

/**
 * Gives one turn at a time, first come, first served, with a rest in between. Rendering metrics takes some 10 ms for a
 * thousand partitions. Without a rest, a client that asks again and again would take the processor from deliveries.
 */
class AnswerTurns {
  readonly #clock: MonotonicClock;
  #last: Promise<void> = Promise.resolve();
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const taken = this.#last.then(() => this.#run(work));
    this.#last = Promise.allSettled([taken]).then(() => undefined);
    return taken;
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const restMs = this.#restUntil - this.#clock.monotonic();
    if (restMs > 0) await sleep(this.#clock, restMs);
    const startedAt = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      const now = this.#clock.monotonic();
      this.#restUntil = now + restPerTurn * (now - startedAt);
    }
  }
}
