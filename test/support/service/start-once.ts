import { afterAll, beforeAll } from 'vitest';
import { startPlatform, type Platform, type PlatformOptions } from './platform.ts';
import { runService, type ServiceUnderTest } from './service-under-test.ts';

/** Usable from within tests. */
export interface Running {
  readonly platform: Platform;
  readonly service: ServiceUnderTest;
}

/**
 * A platform and the service on it, started once for all tests of the file or `describe` that calls this. They keep
 * apart by having subscribers of their own.
 */
export function startOnce(options: PlatformOptions = {}): Running {
  const parts = new AsyncDisposableStack();
  let running: Running | undefined;
  beforeAll(async () => {
    const platform = parts.use(await startPlatform(options));
    running = { platform, service: parts.use(await runService(platform.environment)) };
  });
  afterAll(async () => parts.disposeAsync());
  const started = (): Running => {
    if (running === undefined) throw new Error('The service runs within tests only.');
    return running;
  };
  return {
    get platform() {
      return started().platform;
    },
    get service() {
      return started().service;
    },
  };
}
