import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Throws an error with installation instructions if the program is not on the path. */
export async function assertInstalled(program: string, debianPackage: string): Promise<void> {
  try {
    await run('which', [program]);
  } catch (cause) {
    throw new Error(`There is no ${program}. Install it (Debian: apt-get install ${debianPackage}).`, { cause });
  }
}
