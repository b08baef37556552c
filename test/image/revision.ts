import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../support/files/sources.ts';

/** Returns the current commit, with `-dirty` if files have changed. */
export async function revision(): Promise<string> {
  try {
    const head = await git('rev-parse', 'HEAD');
    return (await git('status', '--porcelain')) === '' ? head : `${head}-dirty`;
  } catch {
    // A source archive has no Git history.
    return 'unknown';
  }
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: root });
  return stdout.trim();
}
