import { execFile } from 'node:child_process';

export interface PromtoolRun {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs Prometheus's own checker, with this on its standard input. Tests that call this need `promtool`. */
export async function promtool(args: readonly string[], input = ''): Promise<PromtoolRun> {
  return new Promise((resolve, reject) => {
    const child = execFile('promtool', args, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(new Error('promtool cannot be started', { cause: error }));
      else resolve({ succeeded: error === null, output: `${stdout}${stderr}` });
    });
    // A run that does not read all of its input says why in its output.
    child.stdin?.on('error', () => undefined).end(input);
  });
}
