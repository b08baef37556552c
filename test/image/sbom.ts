import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readText } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { lockForProduction, manifestForProduction, type Lock } from './production.ts';

// Prints which packages the service consists of, as CycloneDX; the image has the same list inside. npm is shown a lock file
// without development: told to omit that, it would also omit what development and production share (npm/cli#7909).
await using files = await writeTemporaryFiles({});
// npm calls the whole after its folder.
const folder = files.path('certificate-webhooks');
await mkdir(folder);
const manifest = manifestForProduction(JSON.parse(readText('package.json')) as object);
await writeFile(`${folder}/package.json`, JSON.stringify(manifest));
const lock = lockForProduction(JSON.parse(readText('package-lock.json')) as Lock);
await writeFile(`${folder}/package-lock.json`, JSON.stringify(lock));
const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const { stdout } = await promisify(execFile)('npm', words, { cwd: folder, maxBuffer: 64 * 1024 ** 2 });
process.stdout.write(stdout);
