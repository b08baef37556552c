import type { Environment } from '../../../src/settings.ts';
import { eventually } from '../../support/time/eventually.ts';
import { untilAborted } from '../until-aborted.ts';
import { Program } from './program.ts';

/** The service ended although nobody asked it to. */
export class ServiceEndedError extends Error {
  override readonly name = 'ServiceEndedError';
}

interface ServiceOptions {
  readonly environment: Environment;
  /** Takes each line of its log. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The service, running by itself as it does in production. */
export interface ServiceProcess extends AsyncDisposable {
  /** Of metrics and probes, without a path. */
  readonly url: string;
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Waits for the promise; throws when the service ends meanwhile, or nobody wants to wait any longer. */
  whileUp<T>(promise: Promise<T>): Promise<T>;
  /** Sends SIGTERM. Resolves to the exit code; null when it did not end in time and was killed. */
  stop(): Promise<number | null>;
}

/** Resolves once `/readyz` says so. */
export async function startService({ environment, onLine, signal }: ServiceOptions): Promise<ServiceProcess> {
  const program = new Program({ words: ['serve'], environment, onLine });
  const ended = new AbortController();
  const ending = program.exited.then((code) => {
    const words = [`The service ended with exit code ${code}.`, ...program.errors.slice(-10)];
    ended.abort(new ServiceEndedError(words.join('\n')));
  });
  const over = AbortSignal.any([signal, ended.signal]);
  const url = `http://127.0.0.1:${environment['HTTP_PORT']}`;
  const service: ServiceProcess = {
    url,
    get: async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { connection: 'close' }, signal: atMost(over, 5000) });
      return { status: response.status, body: await response.text() };
    },
    whileUp: (promise) => untilAborted(over, promise),
    stop: () => program.stop(15_000),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await ending;
    },
  };
  try {
    await eventually('the service is ready', () => isReady(service, over));
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

async function isReady(service: ServiceProcess, over: AbortSignal): Promise<boolean> {
  over.throwIfAborted();
  try {
    return (await service.get('/readyz')).status === 200;
  } catch {
    // It does not listen yet.
    return false;
  }
}

function atMost(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}
