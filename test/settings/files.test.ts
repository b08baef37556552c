import { rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadSettings, readAgain, SecretFileError, type Settings } from '../../src/settings.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

async function proxyFrom(path: string): Promise<NonNullable<Settings['egress']['proxyUrl']>> {
  const loaded = await loadSettings({ KAFKA_BROKERS: 'none:9092', DELIVERY_PROXY_URL_FILE: path });
  if (loaded.kind === 'problems' || loaded.settings.egress.proxyUrl === undefined) throw new Error('no proxy');
  return loaded.settings.egress.proxyUrl;
}

it('a secret is read again from its file, by the same rules', async () => {
  await using files = await writeTemporaryFiles({ proxy: 'http://old\n' });
  const path = files.path('proxy');
  const proxy = await proxyFrom(path);
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
