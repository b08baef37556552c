import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder } from '../files/cache-folder.ts';
import { MissingToolError } from '../kafka/cluster/java.ts';
import { makeOnce } from '../files/make-once.ts';

const run = promisify(execFile);

const version = '2.6.13.Final';
const archive = `apicurio-registry-app-${version}-all.tar.gz`;
const sha256 = '3cda1b34aa020fb4ac4dd6a66018d757e81e437f97e20a1f92d366b70091c6ba';

/** The download has an unexpected checksum. */
class WrongArchiveError extends Error {
  override readonly name = 'WrongArchiveError';
}

/** Downloads Apicurio Registry with Maven unless it is in the cache. Resolves to its jar. */
export async function prepareRegistry(): Promise<string> {
  const folder = await makeOnce(join(cacheFolder(), `apicurio-registry-${version}`), download);
  return join(folder, `apicurio-registry-app-${version}-runner.jar`);
}

async function download(workFolder: string): Promise<string> {
  process.stderr.write('downloading Apicurio Registry (142 MB, once)\n');
  const artifact = `-Dartifact=io.apicurio:apicurio-registry-app:${version}:tar.gz:all`;
  await runMaven(['-q', '-B', '-C', 'dependency:copy', artifact, `-DoutputDirectory=${workFolder}`]);
  await verify(join(workFolder, archive));
  const folder = join(workFolder, 'registry');
  await mkdir(folder);
  await run('tar', ['-xzf', join(workFolder, archive), '-C', folder]);
  return folder;
}

async function runMaven(parameters: readonly string[]): Promise<void> {
  try {
    await run('mvn', parameters);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw new Error('Maven could not download Apicurio Registry.', { cause: error });
    throw new MissingToolError('The schema registry of the tests is downloaded with Maven, which this machine lacks.');
  }
}

async function verify(file: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found !== sha256) throw new WrongArchiveError(`${archive} has the checksum ${found}, not ${sha256}`);
}
