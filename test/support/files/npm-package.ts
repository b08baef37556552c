import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** One version of a package of the npm registry. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** As the registry and lock files write it. */
  readonly integrity: string;
}

/** Resolves to the archive, in that folder. npm fetches it, because it knows the registry and the way to it. */
export async function downloadPackage({ name, version, integrity }: PinnedPackage, into: string): Promise<string> {
  const words = ['pack', `${name}@${version}`, '--silent', '--pack-destination', into];
  const { stdout } = await promisify(execFile)('npm', words);
  const file = join(into, stdout.trim());
  const found = `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not what it was: ${found} instead of ${integrity}.`);
  return file;
}
