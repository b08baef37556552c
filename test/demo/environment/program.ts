import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../src/settings.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface ProgramOptions {
  /** The script, by its path from the root of the repository; the service when left out. */
  readonly script?: string;
  /** The command and its arguments. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly onLine: (line: string) => void;
  /** Called with each line of standard error. */
  readonly onErrorLine?: (line: string) => void;
  /** Flags of Node itself, such as `--watch`. */
  readonly nodeFlags?: readonly string[];
}

/**
 * A script of the repository in a process of its own. The process is not in the terminal's group: Ctrl-C reaches the demo only,
 * which then stops its parts in order.
 */
export class Program implements AsyncDisposable {
  /** Resolves to the exit code once all output is read; null when the process was killed. */
  readonly exited: Promise<number | null>;
  readonly #child: Child;
  readonly #errors: string[] = [];

  constructor({
    script = 'src/main.ts',
    args,
    environment,
    onLine,
    onErrorLine = () => undefined,
    nodeFlags = [],
  }: ProgramOptions) {
    this.#child = spawn(process.execPath, [...nodeFlags, script, ...args], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    createInterface({ input: this.#child.stdout }).on('line', onLine);
    createInterface({ input: this.#child.stderr }).on('line', (line) => {
      this.#errors.push(line);
      onErrorLine(line);
    });
    const killOnExit = (): void => this.#kill();
    process.once('exit', killOnExit);
    this.exited = once(this.#child, 'close').then(([code]: readonly unknown[]) => {
      process.off('exit', killOnExit);
      return typeof code === 'number' ? code : null;
    });
  }

  /** The lines written to standard error. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** Sends SIGTERM, and SIGKILL after `withinMs`. Resolves to the exit code; null when the process was killed. */
  async stop(withinMs: number): Promise<number | null> {
    const kill = setTimeout(() => this.#kill(), withinMs);
    try {
      this.#child.kill('SIGTERM');
      return await this.exited;
    } finally {
      clearTimeout(kill);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(3000);
  }

  /** Kills the whole process group, because `node --watch` starts the service as its own child. */
  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }
}
