import { createServer as createPlain, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { once } from 'node:events';
import { portOf } from '../endpoints/endpoint.ts';

export interface ScriptedAnswer {
  readonly status?: number;
  /** Written as JSON unless it is text. */
  readonly body: unknown;
}

/** What is done with a question. Never answering is an answer, too. */
type Answer = ScriptedAnswer | 'nothing' | 'hang up';

/** Asked for a path, and what came with it. */
export type AnswerPath = (path: string, headers: IncomingHttpHeaders) => Answer | Promise<Answer>;

export interface RegistryServer extends AsyncDisposable {
  readonly url: string;
  readonly paths: readonly string[];
}

export interface RegistryServerOptions {
  readonly answer: AnswerPath;
  readonly identity?: { readonly key: string; readonly cert: string };
}

/** Something that talks like a schema registry, or does not. */
export async function startRegistryServer({ answer, identity }: RegistryServerOptions): Promise<RegistryServer> {
  const paths: string[] = [];
  const respond = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const path = request.url ?? '';
    paths.push(path);
    const given = await answer(path, request.headers);
    if (given === 'nothing') return;
    if (given === 'hang up') return void request.socket.destroy();
    const { status = 200, body } = given;
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

/** What a registry says of an id, a subject and a version that it does not have. */
export const notFound = (code: 40401 | 40402 | 40403): ScriptedAnswer => ({
  status: 404,
  body: { error_code: code, message: 'not found' },
});
