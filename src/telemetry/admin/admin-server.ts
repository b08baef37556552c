import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { adminPath, answerAdmin, failedAnswer, type AdminAnswer, type AdminSources } from './admin-answers.ts';
import { errorFacts } from '../events/failure-text.ts';

interface AdminServerOptions extends AdminSources {
  /** `HTTP_HOST`. */
  readonly host: string;
  /** `HTTP_PORT`. 0 picks any free port. */
  readonly port: number;
  readonly logger: Pick<Logger, 'error'>;
}

export interface AdminServer extends AsyncDisposable {
  /** The port that it listens on. */
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
  const server = createBoundedServer((request, response) => {
    const answered = respond(request, response, options).finally(() => answering.delete(answered));
    answering.add(answered);
  });
  const port = await listen(server, options);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await close(server);
      await Promise.all(answering);
    },
  };
}

/** Creates a server with few connections and a deadline for each step, so that slow clients can't hold it up. */
function createBoundedServer(listener: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const limits = {
    headersTimeout: 5000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 5000,
    // Longer than the usual scrape interval of 60 s, so that scrapes reuse a connection.
    keepAliveTimeout: 65_000,
  };
  const server = createServer(limits, listener);
  server.maxConnections = 64;
  server.timeout = 70_000;
  return server;
}

async function respond(request: IncomingMessage, response: ServerResponse, options: AdminServerOptions): Promise<void> {
  const { method = '', url: target = '' } = request;
  let answer: AdminAnswer;
  try {
    answer = await answerAdmin({ method, target }, options);
  } catch (error) {
    options.logger.error({ event: 'admin.failed', path: adminPath(target), error: errorFacts(error) });
    answer = failedAnswer();
  }
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

async function listen(server: Server, { host, port }: AdminServerOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  try {
    await promise;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'failed';
    const problem = code === 'EADDRINUSE' ? `port ${port} (HTTP_PORT) is in use` : `HTTP_HOST or HTTP_PORT: ${code}`;
    throw new AdminServerError(`cannot listen on ${host}:${port}: ${problem}`, { cause });
  }
  server.off('error', reject);
  const address = server.address();
  return address === null || typeof address === 'string' ? port : address.port;
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(() => server.closeAllConnections(), closingMs);
  server.close(() => resolve());
  await promise;
  clearTimeout(deadline);
}
