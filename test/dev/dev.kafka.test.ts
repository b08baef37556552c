import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { expect, inject, it } from 'vitest';

it('delivers a certificate on Enter, and ends together with its service on Ctrl-C', async () => {
  await using dev = new DevProcess(inject('kafka'));
  const [statusPage = ''] = await dev.printed(/http:\S+/);
  expect((await fetch(statusPage, { headers: { connection: 'close' } })).status).toBe(200);

  dev.pressEnter();
  const [, id] = await dev.printed(/^sent +certificate (\w+)/);
  await dev.printed(/^received POST \/certificates/);
  await dev.printed(new RegExp(`delivery.attempted .*certificateId=${id} .*outcome=delivered`));

  await expect(dev.end()).resolves.toBe(0);
  await expect(fetch(statusPage)).rejects.toThrow('fetch failed');
});

/** `npm run dev` on that cluster, without a terminal. */
class DevProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  readonly #lines: string[] = [];
  readonly #reader: Interface;

  constructor(brokers: readonly string[]) {
    const main = new URL('main.ts', import.meta.url).pathname;
    const env = { PATH: process.env['PATH'], KAFKA_BROKERS: brokers.join(',') };
    this.#child = spawn(process.execPath, [main], { env });
    this.#child.stderr.pipe(process.stderr);
    this.#exited = once(this.#child, 'close').then(([code]: readonly unknown[]) => code);
    this.#reader = createInterface(this.#child.stdout).on('line', (line) => this.#lines.push(line));
  }

  /** Resolves to the first match of all lines; rejects when the process is silent for too long. */
  async printed(pattern: RegExp): Promise<readonly string[]> {
    for (;;) {
      const match = this.#lines.map((line) => pattern.exec(line)).find((found) => found !== null);
      if (match !== undefined) return match;
      await once(this.#reader, 'line', { signal: AbortSignal.timeout(30_000) });
    }
  }

  pressEnter(): void {
    this.#child.stdin.write('\n');
  }

  /** Resolves to the exit code. */
  async end(): Promise<unknown> {
    this.#child.kill('SIGINT');
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
