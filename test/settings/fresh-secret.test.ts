import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { freshSecret } from '../../src/settings/files.ts';
import type { Environment } from '../../src/settings.ts';
import { settingsFrom } from '../support/service/default-settings.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

it('reads the file again for each use, and keeps the last secret if the file is unusable', async () => {
  await using files = await writeTemporaryFiles({ proxy: 'http://zero' });
  const path = files.path('proxy');
  const proxyUrl = await freshProxyUrl({ DELIVERY_PROXY_URL_FILE: path });
  await writeFile(path, 'http://one:3128\n');
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
  const proxyUrl = await freshProxyUrl({ DELIVERY_PROXY_URL: 'http://zero' });
  expect((await proxyUrl()).reveal()).toBe('http://zero');
});

async function freshProxyUrl(environment: Environment): Promise<ReturnType<typeof freshSecret>> {
  const { proxyUrl } = (await settingsFrom(environment)).egress;
  assert(proxyUrl !== undefined);
  return freshSecret(proxyUrl);
}
