import { startRegistryServer, type AnswerPath, type RegistryServer, type ScriptedAnswer } from './registry-server.ts';

/** A proxy between the service and its registry. It forwards requests, or answers them itself. */
export interface RegistryProxy extends RegistryServer {
  /** Sets the answer to all requests; undefined forwards them again. */
  intercept(answer: AnswerPath | undefined): void;
}

export async function startRegistryProxy(target: string): Promise<RegistryProxy> {
  let interception: AnswerPath | undefined;
  const server = await startRegistryServer({
    answer: (path, headers) => interception?.(path, headers) ?? forward(target, path),
  });
  return {
    ...server,
    intercept: (answer) => {
      interception = answer;
    },
  };
}

async function forward(target: string, path: string): Promise<ScriptedAnswer> {
  const response = await fetch(`${target}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.text() };
}

/** Closes the connection, like a registry that is switched off. */
export const switchedOff: AnswerPath = () => 'hang up';
