import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Identity } from '../../support/tls/authority.ts';
import { root } from '../../support/files/sources.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../../support/files/temporary-files.ts';

/** The example receivers of the documentation, and the program that runs each. */
const receivers = { 'receiver.mjs': process.execPath, 'receiver.py': 'python3' } as const;
export type ReceiverName = keyof typeof receivers;

interface ReceiverOptions {
  readonly identity: Identity;
  /** The headers that it accepts, as in its credentials file. */
  readonly credentials: readonly string[];
}

/** An example receiver with its own process and folder. Disposing it kills the process. */
export class Receiver implements AsyncDisposable {
  readonly #name: ReceiverName;
  readonly #files: TemporaryFiles;
  #process: Listening;

  /** Use `startReceiver`. */
  constructor(name: ReceiverName, files: TemporaryFiles, process: Listening) {
    this.#name = name;
    this.#files = files;
    this.#process = process;
  }

  get port(): number {
    return this.#process.port;
  }

  /** Returns the rows of its database, oldest first. */
  stored(): readonly { readonly id: string; readonly event: string; readonly body: unknown }[] {
    using database = this.#open();
    const rows = database.prepare('SELECT id, event, body FROM certificates ORDER BY rowid').all();
    return rows.map(({ id, event, body }) => ({
      id: String(id),
      event: String(event),
      body: JSON.parse(String(body)),
    }));
  }

  /** Drops its table, so that it cannot store anything. */
  breakDatabase(): void {
    using database = this.#open();
    database.exec('DROP TABLE certificates');
  }

  /** Kills the process and starts it again, on another port. */
  async restart(): Promise<void> {
    await kill(this.#process.child);
    this.#process = await listen(this.#name, this.#files);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await kill(this.#process.child);
    await this.#files[Symbol.asyncDispose]();
  }

  #open(): DatabaseSync {
    return new DatabaseSync(this.#files.path('certificates.db'));
  }
}

/** Starts a receiver, and resolves once it listens. */
export async function startReceiver(name: ReceiverName, { identity, credentials }: ReceiverOptions): Promise<Receiver> {
  await using stack = new AsyncDisposableStack();
  const files = stack.use(
    await writeTemporaryFiles({
      'cert.pem': identity.certificate,
      'key.pem': identity.key,
      credentials: `${credentials.join('\n')}\n`,
    }),
  );
  const receiver = new Receiver(name, files, await listen(name, files));
  stack.move();
  return receiver;
}

interface Listening {
  readonly child: ChildProcess;
  readonly port: number;
}

async function listen(name: ReceiverName, files: TemporaryFiles): Promise<Listening> {
  const child = spawn(receivers[name], [join(root, 'docs/examples', name)], {
    env: {
      PATH: process.env['PATH'],
      CREDENTIALS_FILE: files.path('credentials'),
      TLS_CERT_FILE: files.path('cert.pem'),
      TLS_KEY_FILE: files.path('key.pem'),
      DATABASE: files.path('certificates.db'),
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const ended = once(child, 'close').then(() => {
    throw new Error(`${name} ended before it listened: ${errors.join('\n')}`);
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  // From here on, the end of the process is expected.
  ended.catch(() => undefined);
  return { child, port: Number(String(line).replace('listening on ', '')) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}
