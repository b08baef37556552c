import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Replaces a file atomically: readers see all of the old text or all of the new one. Keeps the mode of the file. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const file = await realpath(path);
  const { mode } = await stat(file);
  // The service skips names with a leading dot, so it never reads the draft.
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
