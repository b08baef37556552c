import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findEngine, problemAnswering, problemIn, type EngineSearch } from './engines.ts';

const run = promisify(execFile);

/** The engines that can run containers. */
const runners = ['docker', 'podman'] as const;
export type Runner = (typeof runners)[number];

/** Finds an engine that can run a container with the limits of the tests. */
export async function findRunner(): Promise<EngineSearch<Runner>> {
  if (process.platform === 'linux') return findEngine(runners, problemRunning);
  const reason = 'containers share the network of the machine only on Linux.';
  return { kind: 'none', reason, problems: {} };
}

/** Runs a small container. On a machine that is itself a container, an engine may answer but not be allowed to. */
async function problemRunning(engine: Runner): Promise<string | undefined> {
  const problem = await problemAnswering(engine);
  if (problem !== undefined) return problem;
  const folder = await mkdtemp(join(tmpdir(), 'certificate-webhooks-runner-'));
  const image = `localhost/probe-${randomUUID().slice(0, 8)}`;
  const limits = ['--network', 'host', '--read-only', '--cap-drop', 'all', '--memory', '64m'];
  try {
    await writeSmallestImage(folder);
    return await problemIn(async () => {
      await run(engine, ['build', '--tag', image, folder]);
      await run(engine, ['run', '--rm', ...limits, image], { timeout: 60_000 });
    });
  } finally {
    await problemIn(() => run(engine, ['rmi', '--force', image]));
    await rm(folder, { recursive: true });
  }
}

/** Writes an image with one program of this machine that does nothing, and its libraries. */
async function writeSmallestImage(folder: string): Promise<void> {
  const { stdout } = await run('ldd', ['/bin/true']);
  for (const file of ['/bin/true', ...(stdout.match(/\/\S+/g) ?? [])]) {
    await cp(file, join(folder, 'files', file), { dereference: true });
  }
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY files /\nRUN ["/bin/true"]\nCMD ["/bin/true"]\n');
}
