import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../time/eventually.ts';
import { findJava, startJava } from '../kafka/cluster/java.ts';
import { findFreePorts } from '../kafka/cluster/ports.ts';
import { prepareRegistry } from './distribution.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'certificate-webhooks-registry-'));
  const logFile = join(folder, 'registry.log');
  const settings = [`-Djava.io.tmpdir=${folder}`, '-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`];
  const child = startJava(java, [...settings, '-jar', jar], logFile);
  const exit = once(child, 'exit');
  const url = `http://127.0.0.1:${port}${registryPath}`;
  const registry = {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await eventually(
      'the schema registry answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`The registry ended.\n${await readFile(logFile, 'utf8')}`);
        return answers(`${url}/subjects`);
      },
      { withinMs: 120_000 },
    );
  } catch (error) {
    await registry[Symbol.asyncDispose]();
    throw error;
  }
  return registry;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } });
    await response.text();
    return response.ok;
  } catch {
    // The port is not open yet.
    return false;
  }
}
