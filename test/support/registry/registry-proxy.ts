import { startRegistryServer, type AnswerPath, type RegistryServer, type ScriptedAnswer } from './registry-server.ts';

/** What stands between the service and its registry: it lets questions pass, or answers in the registry's place. */
export interface RegistryProxy extends RegistryServer {
  /** From now on; undefined lets pass again. */
  intercept(answer: AnswerPath | undefined): void;
}

export async function startRegistryProxy(target: string): Promise<RegistryProxy> {
  let interception: AnswerPath | undefined;
  const server = await startRegistryServer({
    answer: (path, headers) => interception?.(path, headers) ?? pass(target, path),
  });
  return {
    ...server,
    intercept: (answer) => {
      interception = answer;
    },
  };
}

async function pass(target: string, path: string): Promise<ScriptedAnswer> {
  const response = await fetch(`${target}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.text() };
}

/** As if it were switched off. */
export const switchedOff: AnswerPath = () => 'hang up';
