import { closeSync, openSync } from 'node:fs';
import type { Environment } from '../../src/settings.ts';
import { eventually } from '../support/time/eventually.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { isReady } from './is-ready.ts';
import { startPinned } from './pinned-process.ts';
import type { Running } from './running-system.ts';

interface ServiceOptions {
  /** The service's own program, of this state of the code or of another one. */
  readonly program: string;
  readonly environment: Environment;
  /** Where its log goes. */
  readonly logFile: string;
  /** Whether a profiler is to look into it. */
  readonly isInspected?: boolean;
}

export interface RunningService extends Running {
  /** Of its probes and metrics. */
  readonly url: string;
}

export interface LaunchedService extends RunningService {
  /** Resolves once it is ready. Rejects, and ends it, when that takes too long. */
  ready(): Promise<void>;
}

/** Starts the service with its default settings but for these; resolves once it is ready. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const service = await launchService(options);
  await service.ready();
  return service;
}

/** The same without waiting for it. */
export async function launchService(options: ServiceOptions): Promise<LaunchedService> {
  const { program, environment, logFile, isInspected = false } = options;
  const port = await findFreePorts(2);
  const inspectorPort = port + 1;
  const url = `http://127.0.0.1:${port}`;
  const inspection = isInspected ? { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` } : {};
  const log = openSync(logFile, 'w');
  const { running } = startPinned(program, ['serve'], {
    env: { PATH: process.env['PATH'], ...inspection, ...environment, HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  const ready = async (): Promise<void> => {
    try {
      await eventually('the service is ready', () => isReady(`${url}/readyz`), { withinMs: 180_000 });
    } catch (error) {
      await running[Symbol.asyncDispose]();
      throw error;
    }
  };
  return { ...running, url, ready, ...(isInspected ? { inspectorPort } : {}) };
}
