import { afterAll, beforeAll } from 'vitest';
import { startPlatform, type Platform, type PlatformOptions } from './platform.ts';
import { runService, type ServiceUnderTest } from './service-under-test.ts';

/** A platform and a service. They exist only while tests run. */
export interface Running {
  readonly platform: Platform;
  readonly service: ServiceUnderTest;
}

/**
 * Starts a platform and a service once for all tests of the file or `describe` that calls this. Each test uses its own
 * subscribers.
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
