import type { Environment } from '../../../src/settings.ts';
import { Program } from '../../support/processes/program.ts';
import { eventually } from '../../support/time/eventually.ts';
import { untilAborted } from '../interrupts.ts';

/** The service ended without being stopped. */
class ServiceEndedError extends Error {
  override readonly name = 'ServiceEndedError';
}

interface ServiceOptions {
  readonly environment: Environment;
  readonly nodeFlags: readonly string[];
  /** Called with each line of the log. */
  readonly onLine: (line: string) => void;
  readonly onErrorLine?: ((line: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/** The service in a process of its own, as in production. */
export interface ServiceProcess extends AsyncDisposable {
  /** The URL of metrics and probes, without a path. */
  readonly url: string;
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Waits for the promise. Throws when the service ends or the signal is aborted. */
  whileRunning<T>(promise: Promise<T>): Promise<T>;
  /** Sends SIGTERM. Resolves to the exit code; null when the service took too long and was killed. */
  stop(): Promise<number | null>;
}

/** Starts the service. Resolves once `/readyz` answers 200. */
export async function startService({ signal, ...options }: ServiceOptions): Promise<ServiceProcess> {
  const program = new Program({ ...options, isDetached: true });
  const ended = new AbortController();
  const ending = program.exited().then(({ code }) => {
    const lines = [`The service ended with exit code ${code}.`, ...program.errors.slice(-10)];
    ended.abort(new ServiceEndedError(lines.join('\n')));
  });
  const endedOrAborted = AbortSignal.any([signal, ended.signal]);
  const url = `http://127.0.0.1:${options.environment['HTTP_PORT']}`;
  const service: ServiceProcess = {
    url,
    get: async (path) => {
      const response = await fetch(`${url}${path}`, {
        headers: { connection: 'close' },
        signal: atMost(endedOrAborted, 5000),
      });
      return { status: response.status, body: await response.text() };
    },
    whileRunning: (promise) => untilAborted(endedOrAborted, promise),
    stop: async () => (await program.stop(15_000)).code,
    async [Symbol.asyncDispose]() {
      await program.stop(3000);
      await ending;
    },
  };
  try {
    await eventually('the service is ready', () => isReady(service, endedOrAborted));
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

async function isReady(service: ServiceProcess, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  try {
    return (await service.get('/readyz')).status === 200;
  } catch {
    // The port is not open yet.
    return false;
  }
}

function atMost(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/** Runs a command of the service. Resolves to the lines of its output. Throws unless its exit code is 0. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await using command = new Program({ args, environment, isDetached: true });
  const { code } = await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(60_000)]), command.exited());
  if (code === 0) return command.output;
  throw new Error([`${args.join(' ')} ended with ${code}.`, ...command.output, ...command.errors].join('\n'));
}
