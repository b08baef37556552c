import { execFile } from 'node:child_process';

export interface PromtoolRun {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs Prometheus's own checker, with this on its standard input. Where it is missing, it says what to install. */
export async function promtool(args: readonly string[], input = ''): Promise<PromtoolRun> {
  return new Promise((resolve, reject) => {
    const child = execFile('promtool', args, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(missingProgram('promtool'));
      else resolve({ succeeded: error === null, output: `${stdout}${stderr}` });
    });
    // Who does not read all of it says why on another channel.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

export function missingProgram(name: string): Error {
  return new Error(`These tests need ${name}. On Debian: apt-get install --no-install-recommends prometheus`);
}
