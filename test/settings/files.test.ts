import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readAgain, readTextFile, SecretFileError } from '../../src/settings/files.ts';
import { authorities, certificates } from '../../src/settings/kinds/file-kinds.ts';
import { mountSecret } from '../support/files/mounted-secret.ts';
import { settingsFrom } from '../support/service/default-settings.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

it('a secret is read again from its file, by the same rules', async () => {
  await using files = await writeTemporaryFiles({ proxy: 'http://old\n' });
  const path = files.path('proxy');
  const { proxyUrl: proxy } = (await settingsFrom({ DELIVERY_PROXY_URL_FILE: path })).egress;
  assert(proxy !== undefined);
  expect(proxy.value.reveal()).toBe('http://old');
  await writeFile(path, 'http://new\n');
  expect((await readAgain(proxy)).reveal()).toBe('http://new');
  for (const wrong of ['socks://hush', '\n']) {
    await writeFile(path, wrong);
    await expect(readAgain(proxy)).rejects.toThrow(`DELIVERY_PROXY_URL_FILE names a file that does not contain an`);
    await expect(readAgain(proxy)).rejects.not.toThrow('hush');
  }
  await rm(path);
  await expect(readAgain(proxy)).rejects.toThrow(SecretFileError);
  await expect(readAgain(proxy)).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
});

describe('a folder of certificate authorities', () => {
  const kind = authorities;

  it('is read as its files that end in .crt and .pem, in the order of their names', async () => {
    await using secret = await mountSecret({ 'b.pem': 'B\n', 'a.crt': 'A', 'ca.p12': 'P', 'ca.password': 'hush' });
    expect(await readTextFile(secret.root, { kind })).toBe('A\nB\n');
    expect(await readTextFile(secret.path('b.pem'), { kind })).toBe('B\n');
  });

  it('is refused for every other kind of file', async () => {
    await using secret = await mountSecret({ 'a.crt': 'A' });
    await expect(readTextFile(secret.root, { kind: certificates })).rejects.toThrow('it is not a file');
  });

  const half = 'x'.repeat(2 ** 19);
  it.each([
    { what: 'without such a file', files: { 'ca.p12': '' }, problem: 'a folder in which no file ends in .crt or .pem' },
    {
      what: 'with more than 100 of them',
      files: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.pem`, ''])),
      problem: 'a folder with more than 100 .crt and .pem files',
    },
    { what: 'larger than a file may be', files: { 'a.crt': half, 'b.crt': `${half}x` }, problem: 'larger than 1 MiB' },
  ])('is refused $what', async ({ files, problem }) => {
    await using folder = await writeTemporaryFiles(files);
    await expect(readTextFile(folder.root, { kind })).rejects.toThrow(`it is ${problem}`);
  });
});
