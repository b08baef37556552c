import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One file or folder of the image, as seen by its user. */
export interface ImageFile {
  readonly path: string;
  readonly isFolder: boolean;
  readonly owner: number;
  readonly isWritable: boolean;
}

/** File systems of the kernel. */
const foreign = new Set(['/proc', '/sys', '/dev']);

// The text of this file is run inside the image.
process.stdout.write(JSON.stringify([...listFiles('/')]));

function* listFiles(folder: string): Generator<ImageFile> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (foreign.has(path)) continue;
    const entry = lstatSync(path);
    const isFolder = entry.isDirectory();
    yield { path, isFolder, owner: entry.uid, isWritable: isWritable(path) };
    if (isFolder) yield* listFiles(path);
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
