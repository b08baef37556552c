import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSecretFile, SecretFileError } from '../../src/settings/secret-file.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

describe('readSecretFile', () => {
  it('reads the current content of the file', async () => {
    await using files = await writeTemporaryFiles({ password: 'old\n' });
    const path = files.path('password');
    expect((await readSecretFile('KAFKA_SASL_PASSWORD', path)).reveal()).toBe('old');
    await writeFile(path, 'new\n\n');
    expect((await readSecretFile('KAFKA_SASL_PASSWORD', path)).reveal()).toBe('new\n');
  });

  it('rejects if the file was deleted, and says why', async () => {
    await using files = await writeTemporaryFiles({});
    const reading = readSecretFile('KAFKA_SASL_PASSWORD', files.path('password'));
    await expect(reading).rejects.toThrow(SecretFileError);
    await expect(reading).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
  });

  it('rejects a wrong value without printing it', async () => {
    await using files = await writeTemporaryFiles({ proxy: 'socks://hush', empty: '\n' });
    const proxy = readSecretFile('DELIVERY_PROXY_URL', files.path('proxy'));
    await expect(proxy).rejects.toThrow('DELIVERY_PROXY_URL_FILE');
    await expect(proxy).rejects.not.toThrow('hush');
    await expect(readSecretFile('KAFKA_SASL_PASSWORD', files.path('empty'))).rejects.toThrow(SecretFileError);
  });
});
