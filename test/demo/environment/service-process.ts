import type { Environment } from '../../../src/settings.ts';
import { eventually } from '../../support/time/eventually.ts';
import { untilAborted } from '../until-aborted.ts';
import { Program } from './program.ts';

/** The service ended without being stopped. */
export class ServiceEndedError extends Error {
  override readonly name = 'ServiceEndedError';
}

interface ServiceOptions {
  readonly environment: Environment;
  /** Called with each line of the log. */
  readonly onLine: (line: string) => void;
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
export async function startService({ environment, onLine, signal }: ServiceOptions): Promise<ServiceProcess> {
  const program = new Program({ args: ['serve'], environment, onLine });
  const ended = new AbortController();
  const ending = program.exited.then((code) => {
    const lines = [`The service ended with exit code ${code}.`, ...program.errors.slice(-10)];
    ended.abort(new ServiceEndedError(lines.join('\n')));
  });
  const endedOrAborted = AbortSignal.any([signal, ended.signal]);
  const url = `http://127.0.0.1:${environment['HTTP_PORT']}`;
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
    stop: () => program.stop(15_000),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
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
