import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../../../src/settings.ts';
import { eventually } from '../../support/kafka/eventually.ts';
import { findFreePorts } from '../../support/kafka/ports.ts';
import { isReady } from '../is-ready.ts';

const program = new URL('../../../src/main.ts', import.meta.url).pathname;

/** Starts the service in a process of its own; resolves once it is ready. Its log goes where nobody reads it. */
export async function startService(environment: Environment): Promise<AsyncDisposable> {
  const port = await findFreePorts(1);
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env['PATH'], ...environment, HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exit = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  try {
    await eventually('the service is ready', () => isReady(`http://127.0.0.1:${port}/readyz`));
  } catch (error) {
    await kill();
    throw error;
  }
  return { [Symbol.asyncDispose]: kill };
}
