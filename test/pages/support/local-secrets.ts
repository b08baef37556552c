import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Reply } from './local-release.ts';

interface Manifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string };
  /** The values in base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** The Secrets of the namespace. Each value is a file, as in a pod. */
export class LocalSecrets {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  file(secret: string, key: string): string {
    return join(this.#folder, secret, key);
  }

  /** Plays `kubectl create secret generic`. With `--dry-run=client` it only prints the Secret. */
  async create([, , , name = '', ...options]: readonly string[]): Promise<Reply> {
    const literals = options.flatMap((option) => {
      const [, key = '', value = ''] = /^--from-literal=([^=]+)=(.*)$/.exec(option) ?? [];
      return key === '' ? [] : [[key, Buffer.from(value).toString('base64')] as const];
    });
    const data = Object.fromEntries(literals);
    const manifest: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
    if (options.includes('--dry-run=client')) return { code: 0, stdout: stringify(manifest) };
    if (existsSync(join(this.#folder, name)))
      return { code: 1, stderr: `error: failed to create secret secrets "${name}" already exists\n` };
    await this.#write(manifest);
    return { code: 0, stdout: `secret/${name} created\n` };
  }

  /** Plays `kubectl apply` of a Secret. */
  async apply(text: string): Promise<Reply> {
    const manifest = parse(text) as Manifest;
    await this.#write(manifest);
    return { code: 0, stdout: `secret/${manifest.metadata.name} configured\n` };
  }

  async #write({ metadata, data }: Manifest): Promise<void> {
    for (const [key, value] of Object.entries(data)) {
      const file = this.file(metadata.name, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, Buffer.from(value, 'base64'));
    }
  }
}
