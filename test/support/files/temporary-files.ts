import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFiles extends AsyncDisposable {
  /** The folder that holds them. */
  readonly root: string;
  /** Returns the path for that name. The file need not exist. */
  path(name: string): string;
  write(name: string, content: string | Uint8Array): Promise<void>;
}

/** Writes the files into a new folder. Disposing the result deletes the folder. */
export async function writeTemporaryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<TemporaryFiles> {
  const root = await mkdtemp(join(tmpdir(), 'certificate-webhooks-'));
  const path = (name: string): string => join(root, name);
  const write = (name: string, content: string | Uint8Array): Promise<void> => writeFile(path(name), content);
  await Promise.all(Object.entries(files).map(([name, content]) => write(name, content)));
  return { root, path, write, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}
