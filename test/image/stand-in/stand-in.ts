import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../support/files/cache-folder.ts';
import { makeOnce } from '../../support/files/make-once.ts';
import { downloadPackage } from '../../support/files/npm-package.ts';
import { root } from '../../support/files/sources.ts';
import { problemIn } from '../engines.ts';

const run = promisify(execFile);

const debian = 'trixie';
const npm = {
  name: 'npm',
  version: '11.19.1',
  integrity: 'sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==',
};

/** Builds an image that replaces `node:…-trixie-slim`, and resolves to its name. */
export async function buildStandIn(engine: string): Promise<string> {
  const name = 'localhost/certificate-webhooks-stand-in-for-node';
  const folder = await makeOnce(partsFolder(), gather);
  await copyFile(join(root, 'node_modules', 'node', 'bin', 'node'), join(folder, 'node'));
  await writeFile(join(folder, 'authorities.pem'), await trustedAuthorities());
  await run(engine, ['build', '--tag', name, '--file', join(import.meta.dirname, 'Dockerfile'), folder]);
  return name;
}

/** Returns whether the parts that are downloaded are in the cache. */
export function isStandInCached(): boolean {
  return existsSync(partsFolder());
}

function partsFolder(): string {
  return join(cacheFolder(), `stand-in-${debian}-npm-${npm.version}`);
}

/** Downloads the parts that never change. */
async function gather(workFolder: string): Promise<string> {
  const folder = join(workFolder, 'parts');
  await mkdir(join(folder, 'npm'), { recursive: true });
  const file = await downloadPackage(npm, workFolder);
  await run('tar', ['-xzf', file, '-C', join(folder, 'npm'), '--strip-components=1']);
  await bootstrap(join(folder, 'debian.tar'));
  return folder;
}

/** Installs the essential packages of Debian, and the library that Node needs. */
async function bootstrap(file: string): Promise<void> {
  const args = ['--variant=essential', '--include=libstdc++6', debian, file];
  const problem = await problemIn(() => run('mmdebstrap', args));
  if (problem === undefined) return;
  throw new Error(`mmdebstrap, a package of Debian and Ubuntu, cannot create the base of the stand-in: ${problem}.`);
}

/** Returns the certificate authorities that this machine trusts, including private ones. */
async function trustedAuthorities(): Promise<string> {
  const files = [process.env['NODE_EXTRA_CA_CERTS'] ?? '', '/etc/ssl/certs/ca-certificates.crt'];
  const file = files.find((path) => existsSync(path));
  return file === undefined ? '' : readFile(file, 'utf8');
}
