import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Environment } from '../../../src/settings.ts';
import { compiled } from '../processes/compiled.ts';
import { Arrivals } from '../time/arrivals.ts';
import { onWholeLine } from '../processes/whole-lines.ts';

type Line = Readonly<Record<string, unknown>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service in a process of its own, as in production. Disposing it kills the process. */
export class ServiceProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exit: Promise<Exit>;
  readonly #byEvent = new Map<string, Arrivals<Line>>();
  readonly #output: string[] = [];
  readonly #errors: string[] = [];
  #ended: Exit | undefined;

  constructor(environment: Environment, args: readonly string[] = ['serve']) {
    const program = new URL('../../../src/main.ts', import.meta.url).pathname;
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env['PATH'], ...compiled, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = once(this.#child, 'close').then(([code, signal]) => (this.#ended = { code, signal } as Exit));
    const { stdout, stderr } = this.#child;
    if (stdout !== null) onWholeLine(stdout, (text) => this.#take(text));
    if (stderr !== null) createInterface(stderr).on('line', (text) => this.#errors.push(text));
  }

  /** Waits for the first `count` log lines of that event. */
  logged(event: string, count = 1): Promise<readonly Line[]> {
    return this.#arrivals(event).first(count);
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
    return this.#ended;
  }

  /** Resolves once both consumer groups have joined. */
  async ready(): Promise<void> {
    await this.logged('consumer.joined', 2);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  exited(): Promise<Exit> {
    return this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  #take(text: string): void {
    this.#output.push(text);
    if (!text.startsWith('{')) return;
    const line = JSON.parse(text) as Line;
    this.#arrivals(String(line['event'])).add(line);
  }

  #arrivals(event: string): Arrivals<Line> {
    const arrivals = this.#byEvent.get(event) ?? new Arrivals<Line>(`log line ${event}`);
    this.#byEvent.set(event, arrivals);
    return arrivals;
  }
}
