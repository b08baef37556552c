import { rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { freshSecret } from '../../src/service/fresh-secret.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

it('reads the file again for each use, and keeps the last secret if the file is unusable', async () => {
  await using files = await writeTemporaryFiles({ proxy: 'http://one:3128\n' });
  const path = files.path('proxy');
  const proxyUrl = freshSecret('DELIVERY_PROXY_URL', { value: new Secret('http://zero'), file: path });
  const [first, shared] = await Promise.all([proxyUrl(), proxyUrl()]);
  expect(first.reveal()).toBe('http://one:3128');
  expect(shared).toBe(first);
  await writeFile(path, 'http://two:3128');
  expect((await proxyUrl()).reveal()).toBe('http://two:3128');
  await writeFile(path, 'two');
  expect((await proxyUrl()).reveal()).toBe('http://two:3128');
  await rm(path);
  expect((await proxyUrl()).reveal()).toBe('http://two:3128');
});

it('returns the secret of the settings if there is no file', async () => {
  const secret = new Secret('http://zero');
  const proxyUrl = freshSecret('DELIVERY_PROXY_URL', { value: secret, file: undefined });
  expect(await proxyUrl()).toBe(secret);
});
