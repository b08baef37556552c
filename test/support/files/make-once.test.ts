import { mkdtempDisposable, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeOnce } from './make-once.ts';

async function writeIn(workshop: string, text: string): Promise<string> {
  await writeFile(join(workshop, 'made'), text);
  return join(workshop, 'made');
}

it('makes a thing once, and leaves no workshop behind', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const target = join(folder.path, 'deep', 'thing');
  expect(await makeOnce(target, (workshop) => writeIn(workshop, 'first'))).toBe(target);
  await makeOnce(target, (workshop) => writeIn(workshop, 'second'));
  expect(await readFile(target, 'utf8')).toBe('first');
  expect(await readdir(join(folder.path, 'deep'))).toEqual(['thing']);
});

it('lets several make a folder at the same time', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const target = join(folder.path, 'things');
  const make = async (workshop: string): Promise<string> => {
    await writeIn(workshop, 'the same');
    return workshop;
  };
  await Promise.all([makeOnce(target, make), makeOnce(target, make), makeOnce(target, make)]);
  expect(await readdir(folder.path)).toEqual(['things']);
  expect(await readFile(join(target, 'made'), 'utf8')).toBe('the same');
});

it('leaves nothing behind when it fails', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'make-once-'));
  const failing = makeOnce(join(folder.path, 'thing'), () => Promise.reject(new Error('no space left')));
  await expect(failing).rejects.toThrow('no space left');
  expect(await readdir(folder.path)).toEqual([]);
});
