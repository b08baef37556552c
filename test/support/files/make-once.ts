import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a file or folder unless it exists, and resolves to its path. `make` works in a temporary folder and returns what
 * to move into place. So other processes never see a partial result. Of two processes at once, the first one wins.
 */
export async function makeOnce(target: string, make: (workFolder: string) => Promise<string>): Promise<string> {
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const workFolder = await mkdtemp(`${target}.making-`);
  try {
    await moveIntoPlace(await make(workFolder), target);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
  return target;
}

async function moveIntoPlace(made: string, target: string): Promise<void> {
  try {
    await rename(made, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}
