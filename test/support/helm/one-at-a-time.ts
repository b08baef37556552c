import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Does the work while no other process of this machine does work under the same lock file; who comes second waits. The
 * lock is held by a child process that ends with our end of its standard input, so it can't outlive us.
 */
export async function oneAtATime<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', [lockFile, 'sh', '-c', 'echo locked && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'close');
  try {
    await Promise.race([once(holder.stdout, 'data'), ended.then(refuse)]);
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}

function refuse(): never {
  throw new Error('flock, which Debian has in its package util-linux, got no lock.');
}
