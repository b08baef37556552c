import { fork } from 'node:child_process';
import { once } from 'node:events';
import { identity } from '../../client-under-test.ts';
import type { EndpointPorts } from './endpoints-process.ts';

/** Starts all hostile endpoints, in a process of their own. */
export async function startHostileEndpoints(): Promise<AsyncDisposable & { readonly ports: EndpointPorts }> {
  const child = fork(new URL('endpoints-process.ts', import.meta.url).pathname, { execArgv: [] });
  child.send(identity);
  const [ports] = (await once(child, 'message')) as [EndpointPorts];
  return {
    ports,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
