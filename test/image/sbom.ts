import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readText } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { lockForProduction, manifestForProduction, type Lock } from './production.ts';

// Prints the packages of the service as CycloneDX. The image contains the same list. npm gets a lock file without packages for
// development. Its option `--omit=dev` would also omit packages that production needs (npm/cli#7909).
await using files = await writeTemporaryFiles({});
// npm takes the name of the project from its folder.
const folder = files.path('certificate-webhooks');
await mkdir(folder);
const manifest = manifestForProduction(JSON.parse(readText('package.json')) as object);
await writeFile(`${folder}/package.json`, JSON.stringify(manifest));
const lock = lockForProduction(JSON.parse(readText('package-lock.json')) as Lock);
await writeFile(`${folder}/package-lock.json`, JSON.stringify(lock));
const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, maxBuffer: 64 * 1024 ** 2 });
process.stdout.write(stdout);
