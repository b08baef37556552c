import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** Writes figures as JSON, formatted as `npm run check` wants it. */
export async function storeFigures(path: string, figures: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await format(JSON.stringify(figures), { ...(await resolveConfig(path)), parser: 'json' }));
}

export async function readFigures<Figures>(path: string): Promise<Figures> {
  return JSON.parse(await readFile(path, 'utf8')) as Figures;
}
