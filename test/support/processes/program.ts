import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Environment } from '../../../src/settings.ts';
import { root } from '../files/sources.ts';

export interface ProgramOptions {
  /** The script, by its path from the root of the repository; the service when left out. */
  readonly script?: string;
  /** The command and its arguments. */
  readonly args?: readonly string[];
  readonly environment: Environment;
  readonly onLine?: ((line: string) => void) | undefined;
  readonly onErrorLine?: ((line: string) => void) | undefined;
  /** Flags of Node itself, such as `--watch`. */
  readonly nodeFlags?: readonly string[];
  /** True for a channel to the process, for messages. */
  readonly hasChannel?: boolean;
  /** True for a process group of its own, which Ctrl-C in the terminal does not reach. It ends with this process. */
  readonly isDetached?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A script of the repository in a process of its own. Disposing it kills the process. */
export class Program implements AsyncDisposable {
  protected readonly child: ChildProcess;
  readonly #exited: Promise<Exit>;
  readonly #output: string[] = [];
  readonly #errors: string[] = [];
  readonly #isDetached: boolean;
  #exit: Exit | undefined;

  constructor(options: ProgramOptions) {
    const { script = 'src/main.ts', args = ['serve'], environment, nodeFlags = [], onLine, onErrorLine } = options;
    const { hasChannel = false, isDetached = false } = options;
    this.#isDetached = isDetached;
    this.child = spawn(process.execPath, [...nodeFlags, join(root, script), ...args], {
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
      detached: isDetached,
    });
    const { stdout, stderr } = this.child;
    if (stdout !== null) {
      onWholeLine(stdout, (line) => {
        this.take(line);
        onLine?.(line);
      });
    }
    if (stderr !== null) {
      createInterface(stderr).on('line', (line) => {
        this.#errors.push(line);
        onErrorLine?.(line);
      });
    }
    const killOnExit = (): void => this.signal('SIGKILL');
    if (isDetached) process.once('exit', killOnExit);
    this.#exited = once(this.child, 'close').then(([code, signal]) => {
      process.off('exit', killOnExit);
      return (this.#exit = { code, signal } as Exit);
    });
  }

  /** All lines of standard output. */
  get output(): readonly string[] {
    return this.#output;
  }

  /** All lines of standard error. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** How the process has ended, or undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  exited(): Promise<Exit> {
    return this.#exited;
  }

  /** Sends a signal. A process group is killed as a whole, because `node --watch` starts the service as its own child. */
  signal(name: NodeJS.Signals): void {
    const { pid } = this.child;
    if (!this.#isDetached || name !== 'SIGKILL' || pid === undefined) return void this.child.kill(name);
    try {
      process.kill(-pid, name);
    } catch {
      // The process has just ended.
    }
  }

  /** Sends SIGTERM, and SIGKILL after `withinMs`. */
  async stop(withinMs: number): Promise<Exit> {
    const overdue = setTimeout(() => this.signal('SIGKILL'), withinMs);
    this.signal('SIGTERM');
    const exit = await this.exited();
    clearTimeout(overdue);
    return exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.exited();
  }

  protected take(line: string): void {
    this.#output.push(line);
  }
}

/**
 * Calls `take` with each line of the stream, decoded as UTF-8 and without its line feed. An incomplete last line is left
 * out, because a killed process may have written half a line.
 */
function onWholeLine(stream: Readable, take: (line: string) => void): void {
  let incomplete = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${incomplete}${text}`.split('\n');
    incomplete = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
