import { createServer as createPlain, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { once } from 'node:events';
import { portOf } from '../endpoints/endpoint.ts';

export interface ScriptedAnswer {
  readonly status?: number;
  /** The body, written as JSON unless it is text. */
  readonly body: unknown;
}

/** A response, no response, or a closed connection. */
type Answer = ScriptedAnswer | 'nothing' | 'hang up';

/** Returns the answer for the path and headers of a request. */
export type AnswerPath = (path: string, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;

export interface RegistryServer extends AsyncDisposable {
  readonly url: string;
  readonly paths: readonly string[];
}

interface RegistryServerOptions {
  readonly answer: AnswerPath;
  readonly identity?: { readonly key: string; readonly cert: string };
}

/** Starts an HTTP server in place of a schema registry. */
export async function startRegistryServer({ answer, identity }: RegistryServerOptions): Promise<RegistryServer> {
  const paths: string[] = [];
  const respond = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const path = request.url ?? '';
    paths.push(path);
    const chosen = await answer(path, request.headers);
    if (chosen === 'nothing') return;
    if (chosen === 'hang up') return void request.socket.destroy();
    const { status = 200, body } = chosen;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const listener: RequestListener = (request, response) => void respond(request, response);
  const server = identity === undefined ? createPlain(listener) : createSecure(identity, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${portOf(server)}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The answer of a registry to an unknown subject (40401), version (40402) or schema (40403). */
export const notFound = (code: 40401 | 40402 | 40403): ScriptedAnswer => ({
  status: 404,
  body: { error_code: code, message: 'not found' },
});
