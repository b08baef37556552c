import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Environment } from '../../../src/settings.ts';
import { root } from '../../support/files/sources.ts';

interface SlowRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface SlowOptions {
  /** The stream that nobody reads until the other one has this text. Without it, both are read piece by piece. */
  readonly holdBack?: { readonly stream: 'stdout' | 'stderr'; readonly until: string };
}

/** Runs the program to its end, and reads its output slower than it prints. */
export async function readSlowly(
  environment: Environment,
  args: readonly string[],
  { holdBack }: SlowOptions = {},
): Promise<SlowRun> {
  const child = spawn(process.execPath, ['src/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  // Without a listener, Node drops what nobody has read when the process exits.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('readable', () => undefined);
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const read = async (name: 'stdout' | 'stderr'): Promise<string> => {
    if (holdBack?.stream === name) await seen;
    let text = '';
    for await (const piece of pieces(child[name])) {
      text += piece;
      if (holdBack !== undefined && text.includes(holdBack.until)) resolve();
    }
    return text;
  };
  const [stdout, stderr] = await Promise.all([read('stdout'), read('stderr')]);
  await exited;
  return { code: child.exitCode, stdout, stderr };
}

/** Reads at most 4 KiB in each turn of the event loop. */
async function* pieces(stream: Readable): AsyncGenerator<string> {
  while (!stream.readableEnded) {
    const piece: unknown = stream.read(Math.min(4096, stream.readableLength));
    if (typeof piece === 'string') yield piece;
    await setImmediate();
  }
}
