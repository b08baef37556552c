import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Arrivals } from '../../support/time/arrivals.ts';

/** A script of a page that goes on, as in a terminal of its own. Disposing it ends its programs. */
export interface Background extends AsyncDisposable {
  /** The lines that its programs print. */
  readonly lines: Arrivals<string>;
}

interface BackgroundOptions {
  /** The folder in which the reader stands. */
  readonly folder: string;
  /** The variables that the reader has exported. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a script in Bash until it is disposed. */
export function startInBackground(script: string, { folder, environment = {} }: BackgroundOptions): Background {
  const lines = new Arrivals<string>('line of the script');
  // A group of its own, which is signalled as a whole: the script starts programs.
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', `${script}\nwait`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.add(line));
  const closed = once(child, 'close').then(() => lines.close());
  return {
    lines,
    async [Symbol.asyncDispose]() {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (child.pid !== undefined && isRunning) process.kill(-child.pid, 'SIGTERM');
      await closed;
    },
  };
}
