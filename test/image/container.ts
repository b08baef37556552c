import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Environment } from '../../src/settings.ts';
import { problemIn } from './engines.ts';
import type { Runner } from './runner.ts';

const run = promisify(execFile);

interface ContainerOptions {
  readonly engine: Runner;
  readonly image: string;
  /** An entry point other than that of the image. */
  readonly entrypoint?: string;
  readonly args?: readonly string[];
  readonly environment?: Environment;
  /** More options of the engine. */
  readonly options?: readonly string[];
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A container on the network of this machine. Disposing it removes it, even if it is running. */
export class Container implements AsyncDisposable {
  /** Resolves once the container has ended. */
  readonly ended: Promise<Ended>;
  #hasEnded = false;
  readonly #engine: Runner;
  readonly #name = `certificate-webhooks-${randomUUID().slice(0, 8)}`;

  constructor({ engine, image, entrypoint, args = [], environment = {}, options = [] }: ContainerOptions) {
    this.#engine = engine;
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const entry = entrypoint === undefined ? [] : ['--entrypoint', entrypoint];
    const own = ['--name', this.#name, '--network', 'host', ...options, ...variables, ...entry];
    const child = spawn(engine, ['run', ...own, image, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = outcome(child).finally(() => (this.#hasEnded = true));
  }

  /** Throws with the output of the container if it has ended. */
  async assertRunning(): Promise<void> {
    if (!this.#hasEnded) return;
    const { code, output, errors } = await this.ended;
    throw new Error(`The container has ended with ${code}.\n${output}${errors}`);
  }

  /** Sends a signal to the first process, like an orchestrator. */
  async signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGUSR1'): Promise<void> {
    await run(this.#engine, ['kill', '--signal', name, this.#name]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const problem = await problemIn(() => run(this.#engine, ['rm', '--force', this.#name]));
    const { errors } = await this.ended;
    if (problem !== undefined) throw new Error(`${this.#name} could not be removed: ${problem}\n${errors}`);
  }
}

/** Runs a container and waits for its end. */
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
