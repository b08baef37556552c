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
  const running = startForTests(async (parts) => {
    const platform = parts.use(await startPlatform(options));
    return { platform, service: parts.use(await runService(platform.environment)) };
  });
  return {
    get platform() {
      return running().platform;
    },
    get service() {
      return running().service;
    },
  };
}

/** Starts something once for all tests of the file or `describe` that calls this. Returns a function that returns it. */
export function startForTests<Started>(
  start: (parts: AsyncDisposableStack) => Promise<Started>,
  timeoutMs?: number,
): () => Started {
  const parts = new AsyncDisposableStack();
  let started: { readonly it: Started } | undefined;
  beforeAll(async () => {
    started = { it: await start(parts) };
  }, timeoutMs);
  afterAll(async () => parts.disposeAsync());
  return () => {
    if (started === undefined) throw new Error('The service runs within tests only.');
    return started.it;
  };
}
