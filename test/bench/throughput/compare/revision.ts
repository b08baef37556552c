import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../support/files/sources.ts';
import { writeTemporaryFiles } from '../../../support/files/temporary-files.ts';

/** A checkout of another revision in a folder of its own, which disposal removes. */
interface Revision extends AsyncDisposable {
  /** Path of the service's `main.ts`. */
  readonly program: string;
}

export async function checkOutRevision(ref: string): Promise<Revision> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await writeTemporaryFiles({})).path('revision');
  await runCommand('git', ['worktree', 'add', '--detach', folder, ref], root);
  stack.defer(async () => {
    await runCommand('git', ['worktree', 'remove', '--force', folder], root);
  });
  await provideModules(folder);
  const owned = stack.move();
  return { program: join(folder, 'src', 'main.ts'), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Links the installed packages if the lock files are equal. Installing is slow. */
async function provideModules(folder: string): Promise<void> {
  const [here, there] = await Promise.all([root, folder].map((one) => readFile(join(one, 'package-lock.json'))));
  if (here !== undefined && there?.equals(here) === true)
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  else await runCommand('npm', ['ci', '--no-audit', '--no-fund'], folder);
}

/** Runs a command in a folder. Rejects if it fails. */
async function runCommand(command: string, words: readonly string[], folder: string): Promise<void> {
  await promisify(execFile)(command, [...words], { cwd: folder, maxBuffer: 64 * 1024 ** 2 });
}
