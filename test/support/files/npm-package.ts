import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** One version of a package in the npm registry. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** The checksum, written as in the registry and in lock files. */
  readonly integrity: string;
}

/** Downloads the archive into the folder and resolves to its path. npm knows the registry and its proxy. */
export async function downloadPackage({ name, version, integrity }: PinnedPackage, into: string): Promise<string> {
  const words = ['pack', `${name}@${version}`, '--silent', '--pack-destination', into];
  const { stdout } = await promisify(execFile)('npm', words);
  const file = join(into, stdout.trim());
  const found = `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} has the checksum ${found}, not ${integrity}.`);
  return file;
}
