import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test, deleted when it is disposed of. */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(files: Readonly<Record<string, string>> = {}): Promise<TemporaryFolder> {
    const folder = new TemporaryFolder(await mkdtemp(join(tmpdir(), 'webhooks-')));
    for (const [name, text] of Object.entries(files)) await folder.write(name, text);
    return folder;
  }

  at(name: string): string {
    return join(this.path, name);
  }

  async write(name: string, text: string | Uint8Array): Promise<void> {
    await writeFile(this.at(name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
