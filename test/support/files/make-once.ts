import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a file or folder unless it is there, and resolves to its path. `make` works in a folder of its own and returns
 * what to move into place; so nobody ever sees half of it, and when two processes do it at once, the first one wins.
 */
export async function makeOnce(target: string, make: (workshop: string) => Promise<string>): Promise<string> {
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const workshop = await mkdtemp(`${target}.making-`);
  try {
    await moveIntoPlace(await make(workshop), target);
  } finally {
    await rm(workshop, { recursive: true, force: true });
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
