import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readAgain, SecretFileError } from '../../src/settings/files.ts';
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
