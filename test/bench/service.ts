import { closeSync, openSync } from 'node:fs';
import type { Environment } from '../../src/settings.ts';
import { eventually } from '../support/time/eventually.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { startPinned } from './pinned-process.ts';
import type { RunningSystem } from './running-system.ts';

interface ServiceOptions {
  /** Path of the service's `main.ts`, in this checkout or in one of another revision. */
  readonly program: string;
  /** Environment variables. All other settings have their defaults. */
  readonly variables: Environment;
  readonly logFile: string;
}

export interface RunningService extends RunningSystem {
  /** Base URL of the probes and metrics. */
  readonly url: string;
}

interface LaunchedService extends RunningService {
  /** Resolves once the service is ready. Rejects, and ends the service, after three minutes. */
  ready(): Promise<void>;
}

const readyWithinMs = 180_000;

/** Starts the service and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const service = await launchService(options);
  await service.ready();
  return service;
}

/** Starts the service without waiting until it is ready. */
export async function launchService(options: ServiceOptions): Promise<LaunchedService> {
  const { program, variables, logFile } = options;
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(logFile, 'w');
  const { system } = startPinned(program, ['serve'], {
    env: { PATH: process.env['PATH'], ...variables, HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  const ready = async (): Promise<void> => {
    try {
      await eventually('the service is ready', () => isReady(`${url}/readyz`), { withinMs: readyWithinMs });
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
  };
  return { ...system, url, ready };
}

/** Returns false, too, while nothing listens at that address yet. */
async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}
