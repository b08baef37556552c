import { afterAll, beforeAll } from 'vitest';
import { startPlatform, type Platform } from '../service/platform.ts';
import { runService, type ServiceUnderTest } from '../service/service-under-test.ts';
import { createProducers, type Producers } from './producers.ts';
import { longestStartMs, startRegistry } from './real-registry.ts';

/** A service with a real schema registry. They exist only while tests run. */
export interface RunningWithRegistry {
  readonly platform: Platform;
  readonly service: ServiceUnderTest;
  readonly producers: Producers;
  /** Writes the values as completed certificates. Resolves to their settlement results. */
  readonly complete: (...values: readonly Buffer[]) => Promise<readonly unknown[]>;
}

/** Starts both once for all tests of the file that calls this. */
export function startOnceWithRegistry(): RunningWithRegistry {
  const parts = new AsyncDisposableStack();
  let running: RunningWithRegistry | undefined;
  beforeAll(async () => {
    const registry = parts.use(await startRegistry());
    const platform = parts.use(await startPlatform({ environment: { SCHEMA_REGISTRY_URL: `${registry.url}/` } }));
    const service = parts.use(await runService(platform.environment));
    const complete: RunningWithRegistry['complete'] = async (...values) =>
      service.settled(platform.topics.completed, await platform.complete(...values));
    running = { platform, service, producers: createProducers(registry.url), complete };
  }, longestStartMs);
  afterAll(async () => parts.disposeAsync());
  const started = (): RunningWithRegistry => {
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
    get producers() {
      return started().producers;
    },
    complete: (...values) => started().complete(...values),
  };
}
