import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFiles extends AsyncDisposable {
  /** Returns the path for that name. The file need not exist. */
  path(name: string): string;
}

/** Writes the files into a new folder. Disposing the result deletes the folder. */
export async function writeTemporaryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<TemporaryFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-webhooks-'));
  const path = (name: string): string => join(folder, name);
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(path(name), content)));
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
