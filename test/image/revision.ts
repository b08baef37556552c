import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../support/files/sources.ts';

/** The commit that is checked out, and whether files were changed since. */
export async function revision(): Promise<string> {
  try {
    const head = await git('rev-parse', 'HEAD');
    return (await git('status', '--porcelain')) === '' ? head : `${head}-dirty`;
  } catch {
    // An unpacked archive has no history.
    return 'unknown';
  }
}

async function git(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', words, { cwd: root });
  return stdout.trim();
}
