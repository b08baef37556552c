import { once } from 'node:events';
import type { Environment } from '../../../src/settings.ts';
import { answersOk } from '../../support/processes/answers-ok.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { eventually } from '../../support/time/eventually.ts';

interface InstanceOptions {
  /** Starts at 1. Used in messages. */
  readonly number: number;
  readonly environment: Environment;
  readonly httpPort: number;
}

const preload = new URL('preload.ts', import.meta.url).pathname;
const maxLines = 40;

/** The service in a process of its own, which tests can kill, freeze and stall. */
export class Instance extends ServiceProcess {
  readonly number: number;
  readonly #url: string;

  constructor({ number, environment, httpPort }: InstanceOptions) {
    const http = { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(httpPort) };
    super({ ...environment, ...http }, ['serve'], { nodeFlags: ['--import', preload], hasChannel: true });
    this.number = number;
    this.#url = `http://127.0.0.1:${httpPort}`;
  }

  /** The last log lines, for error messages. */
  get lastLogLines(): string {
    return [...this.output.slice(-maxLines), ...this.errors.slice(-maxLines)].join('\n');
  }

  /** Blocks the event loop for `CHAOS_STALL_MS`. Resolves to the time at which that began: a busy process gets to it late. */
  async stall(): Promise<number> {
    const begun = once(this.child, 'message');
    this.signal('SIGUSR2');
    const [at] = await begun;
    return Number(at);
  }

  /** Makes the open connections to these ports silent. New ones work. */
  silence(ports: readonly number[]): void {
    this.child.send(ports);
  }

  /** Resolves once the instance is a member of both groups. */
  override async ready(withinMs = 90_000): Promise<void> {
    await eventually(`instance ${this.number} is ready`, () => this.#isReady(), { withinMs, everyMs: 100 });
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.#url}/metrics`, { headers: { connection: 'close' } })).text();
  }

  async #isReady(): Promise<boolean> {
    if (this.exit !== undefined) throw new Error(`Instance ${this.number} ended.\n${this.lastLogLines}`);
    return answersOk(`${this.#url}/readyz`);
  }
}
