import { mkdtempDisposable, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeOnce } from './make-once.ts';

async function writeIn(workFolder: string, text: string): Promise<string> {
  await writeFile(join(workFolder, 'made'), text);
  return join(workFolder, 'made');
}

it('creates a file once, and removes its work folder', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const target = join(folder.path, 'deep', 'thing');
  expect(await makeOnce(target, (workFolder) => writeIn(workFolder, 'first'))).toBe(target);
  await makeOnce(target, (workFolder) => writeIn(workFolder, 'second'));
  expect(await readFile(target, 'utf8')).toBe('first');
  expect(await readdir(join(folder.path, 'deep'))).toEqual(['thing']);
});

it('lets several callers create a folder at the same time', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const target = join(folder.path, 'things');
  const make = async (workFolder: string): Promise<string> => {
    await writeIn(workFolder, 'the same');
    return workFolder;
  };
  await Promise.all([makeOnce(target, make), makeOnce(target, make), makeOnce(target, make)]);
  expect(await readdir(folder.path)).toEqual(['things']);
  expect(await readFile(join(target, 'made'), 'utf8')).toBe('the same');
});

it('leaves no files after a failure', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const failing = makeOnce(join(folder.path, 'thing'), () => Promise.reject(new Error('no space left')));
  await expect(failing).rejects.toThrow('no space left');
  expect(await readdir(folder.path)).toEqual([]);
});
