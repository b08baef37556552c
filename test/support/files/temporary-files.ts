import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFiles extends AsyncDisposable {
  /** Of a file of that name, whether it is there or not. */
  path(name: string): string;
}

/** A folder of its own with these files, by name; gone when it is disposed. */
export async function writeTemporaryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<TemporaryFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-webhooks-'));
  const path = (name: string): string => join(folder, name);
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(path(name), content)));
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
