import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { adminPath, answerAdmin, failedAnswer, type AdminAnswer, type AdminSources } from './admin-answers.ts';
import { errorFacts } from '../events/failure-text.ts';

interface AdminServerOptions extends AdminSources {
  /** `HTTP_HOST` and `HTTP_PORT`; port 0 takes any that is free. */
  readonly host: string;
  readonly port: number;
  readonly logger: Pick<Logger, 'error'>;
}

export interface AdminServer extends AsyncDisposable {
  /** The one it listens on. */
  readonly port: number;
}

/** The admin server can't listen; the message names the setting to look at. */
export class AdminServerError extends Error {
  override readonly name = 'AdminServerError';
}

/** How long requests may go on once the server is disposed. */
const closingMs = 1000;

/** Serves probes and metrics in plain HTTP. Throws an AdminServerError when it can't listen. */
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

/** A client that is slow to ask, to read or to go away holds one of few connections, for a bounded time. */
function createBoundedServer(listener: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const limits = {
    headersTimeout: 5000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 5000,
    // Longer than the usual interval of scrapes, so that they share a connection.
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
  const cutOff = setTimeout(() => server.closeAllConnections(), closingMs);
  server.close(() => resolve());
  await promise;
  clearTimeout(cutOff);
}
