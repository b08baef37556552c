import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Environment } from '../../../src/settings.ts';
import { answersOk } from '../../support/processes/answers-ok.ts';
import type { Exit } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';

interface InstanceOptions {
  /** Starts at 1. Used in messages. */
  readonly number: number;
  readonly environment: Environment;
  readonly httpPort: number;
  /** Called when the process has ended, for any reason. */
  readonly onExit: (exit: Exit) => void;
  /** Called when the process has noticed that it was paused for about a session, at that time. */
  readonly onPaused: (at: number) => void;
}

const program = new URL('../../../src/main.ts', import.meta.url).pathname;
const preload = new URL('preload.ts', import.meta.url).pathname;
const maxLines = 40;

/** The service in a process of its own, which tests can kill, freeze and stall. */
export class Instance {
  readonly number: number;
  readonly #child: ChildProcess;
  readonly #exit: Promise<Exit>;
  readonly #url: string;
  readonly #lines: string[] = [];
  #hasExited = false;

  constructor({ number, environment, httpPort, onExit, onPaused }: InstanceOptions) {
    this.number = number;
    this.#url = `http://127.0.0.1:${httpPort}`;
    this.#child = spawn(process.execPath, ['--import', preload, program, 'serve'], {
      env: { PATH: process.env['PATH'], ...environment, HTTP_HOST: '127.0.0.1', HTTP_PORT: String(httpPort) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#exit = once(this.#child, 'close').then(([code, signal]: unknown[]) => {
      this.#hasExited = true;
      const exit = { code, signal } as Exit;
      onExit(exit);
      return exit;
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null)
        createInterface(stream).on('line', (line) => {
          this.#keep(line);
          if (line.includes('ProcessPausedError')) onPaused(Date.now());
        });
    }
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get exited(): Promise<Exit> {
    return this.#exit;
  }

  /** The last log lines, for error messages. */
  get lastLogLines(): string {
    return this.#lines.join('\n');
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Blocks the event loop for `CHAOS_STALL_MS`. Resolves to the time at which that began: a busy process gets to it late. */
  async stall(): Promise<number> {
    const begun = once(this.#child, 'message');
    this.signal('SIGUSR2');
    const [at] = await begun;
    return Number(at);
  }

  /** Makes the open connections to these ports silent. New ones work. */
  silence(ports: readonly number[]): void {
    this.#child.send(ports);
  }

  /** Resolves once the instance is a member of both groups. */
  async ready(withinMs = 90_000): Promise<void> {
    await eventually(`instance ${this.number} is ready`, () => this.#isReady(), { withinMs, everyMs: 100 });
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`, { headers: { connection: 'close' } })).text();
  }

  async #isReady(): Promise<boolean> {
    if (this.#hasExited) throw new Error(`Instance ${this.number} ended.\n${this.lastLogLines}`);
    return answersOk(`${this.#url}/readyz`);
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > maxLines) this.#lines.shift();
  }
}
