import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Environment } from '../../src/settings.ts';
import { problemIn } from './engines.ts';
import type { Runner } from './runner.ts';

const run = promisify(execFile);

export interface ContainerOptions {
  readonly engine: Runner;
  readonly image: string;
  /** In place of the image's own. */
  readonly entrypoint?: string;
  readonly words?: readonly string[];
  readonly environment?: Environment;
  /** More of the engine's own options. */
  readonly options?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A container of that image, on the network of this machine. Disposing it removes it, running or not. */
export class Container implements AsyncDisposable {
  /** Resolves once it has ended by itself or was told to. */
  readonly ended: Promise<Ended>;
  #isOver = false;
  readonly #engine: Runner;
  readonly #name = `certificate-webhooks-${randomUUID().slice(0, 8)}`;

  constructor({ engine, image, entrypoint, words = [], environment = {}, options = [] }: ContainerOptions) {
    this.#engine = engine;
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const instead = entrypoint === undefined ? [] : ['--entrypoint', entrypoint];
    const own = ['--name', this.#name, '--network', 'host', ...options, ...variables, ...instead];
    const child = spawn(engine, ['run', ...own, image, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = outcome(child).finally(() => (this.#isOver = true));
  }

  /** Throws, with its last words, when it has ended. */
  async assertRunning(): Promise<void> {
    if (!this.#isOver) return;
    const { code, output, errors } = await this.ended;
    throw new Error(`The container has ended with ${code}.\n${output}${errors}`);
  }

  /** To its first process, as an orchestrator does it. */
  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await run(this.#engine, ['kill', '--signal', name, this.#name]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const problem = await problemIn(() => run(this.#engine, ['rm', '--force', this.#name]));
    const { errors } = await this.ended;
    if (problem !== undefined) throw new Error(`${this.#name} is left behind: ${problem}\n${errors}`);
  }
}

/** Lets it run to its end. */
export async function runToEnd(options: ContainerOptions): Promise<Ended> {
  await using container = new Container(options);
  return await container.ended;
}

async function outcome(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The container was started without pipes.');
  const [[code], output, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)]);
  return { code: typeof code === 'number' ? code : null, output, errors };
}
