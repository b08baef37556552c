import { startPlatform } from '../service/platform.ts';
import { runService } from '../service/service-under-test.ts';
import { startForTests, type Running } from '../service/start-once.ts';
import { createProducers, type Producers } from './producers.ts';
import { longestStartMs, startRegistry } from './real-registry.ts';

/** A service with a real schema registry. They exist only while tests run. */
interface RunningWithRegistry extends Running {
  readonly producers: Producers;
  /** Writes the values as completed certificates. Resolves to their settlement results. */
  readonly complete: (...values: readonly Buffer[]) => Promise<readonly unknown[]>;
}

/** Starts both once for all tests of the file or `describe` that calls this. Returns a function that returns them. */
export function startOnceWithRegistry(): () => RunningWithRegistry {
  return startForTests(async (parts) => {
    const registry = parts.use(await startRegistry());
    const platform = parts.use(await startPlatform({ environment: { SCHEMA_REGISTRY_URL: `${registry.url}/` } }));
    const service = parts.use(await runService(platform.environment));
    return {
      platform,
      service,
      producers: createProducers(registry.url),
      complete: async (...values) => service.settled(platform.topics.completed, await platform.complete(...values)),
    };
  }, longestStartMs);
}
