import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One file or folder of the image, as its user sees it. */
export interface Surveyed {
  readonly path: string;
  readonly isFolder: boolean;
  readonly owner: number;
  readonly isWritable: boolean;
}

/** The kernel's. */
const foreign = new Set(['/proc', '/sys', '/dev']);

// Run inside of the image, as text.
process.stdout.write(JSON.stringify([...survey('/')]));

function* survey(folder: string): Generator<Surveyed> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (foreign.has(path)) continue;
    const entry = lstatSync(path);
    const isFolder = entry.isDirectory();
    yield { path, isFolder, owner: entry.uid, isWritable: isWritable(path) };
    if (isFolder) yield* survey(path);
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
