import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Does the work while no other process holds the lock file; a second process waits. A child process holds the lock. It ends
 * when its standard input closes, so it cannot outlive this process.
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
  throw new Error('flock, from the Debian package util-linux, could not take the lock.');
}
