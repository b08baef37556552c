import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { writeTemporaryFiles } from '../files/temporary-files.ts';
import { answersOk } from '../processes/answers-ok.ts';
import { eventually } from '../time/eventually.ts';
import { findJava, startJava } from '../kafka/cluster/java.ts';
import { findFreePorts } from '../kafka/cluster/ports.ts';
import { prepareRegistry } from './distribution.ts';
import { startPlatform } from '../service/platform.ts';
import { runService } from '../service/service-under-test.ts';
import { startForTests, type Running } from '../service/start-once.ts';
import { createProducers, type Producers } from './producers.ts';

export interface RealRegistry extends AsyncDisposable {
  /** The URL with its path. */
  readonly url: string;
}

/** The time limit for a start. The first start downloads the registry. */
export const longestStartMs = 600_000;

/** The path of the API that is compatible with Confluent's. */
const registryPath = '/apis/ccompat/v7';

/** Starts an empty schema registry in a process of its own. Resolves once it answers. */
export async function startRegistry(): Promise<RealRegistry> {
  const [java, jar, port] = await Promise.all([findJava(), prepareRegistry(), findFreePorts(1)]);
  const files = await writeTemporaryFiles({});
  const logFile = files.path('registry.log');
  const settings = [`-Djava.io.tmpdir=${files.root}`, '-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`];
  const child = startJava(java, [...settings, '-jar', jar], logFile);
  const exit = once(child, 'exit');
  const url = `http://127.0.0.1:${port}${registryPath}`;
  const registry = {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
      await files[Symbol.asyncDispose]();
    },
  };
  try {
    await eventually(
      'the schema registry answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`The registry ended.\n${await readFile(logFile, 'utf8')}`);
        return answersOk(`${url}/subjects`);
      },
      { withinMs: 120_000 },
    );
  } catch (error) {
    await registry[Symbol.asyncDispose]();
    throw error;
  }
  return registry;
}

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
