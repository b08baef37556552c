import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openFramedValues } from '../../src/service/schema-registry.ts';
import type { Environment } from '../../src/settings.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { framed } from '../support/registry/framed.ts';
import { startRegistryServer } from '../support/registry/registry-server.ts';
import { readingText } from '../support/registry/schemas.ts';
import { settingsFrom } from '../support/service/default-settings.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

async function open(environment: Environment) {
  const settings = await settingsFrom(environment);
  const events = { schemaRegistryFailed: () => undefined, schemaUnknown: () => undefined };
  return openFramedValues({ settings, events, clock: new ManualClock() });
}

describe('framed values', () => {
  it('are undecodable if no registry is configured', async () => {
    using values = await open({});
    expect(values.whenReadable(framed(1, Buffer.of(14)))).toBeUndefined();
    expect(readingText(values.read(framed(1, Buffer.of(14))))).toContain('none is set (SCHEMA_REGISTRY_URL)');
  });

  it('are read with schemas requested with the current password of the file, or the last one', async () => {
    const passwords: unknown[] = [];
    await using server = await startRegistryServer({
      answer: (_path, { authorization = '' }) => {
        passwords.push(Buffer.from(authorization.slice('Basic '.length), 'base64').toString());
        return { body: { schema: '"int"' } };
      },
    });
    await using files = await writeTemporaryFiles({ password: 'first' });
    using values = await open({
      SCHEMA_REGISTRY_URL: server.url,
      SCHEMA_REGISTRY_USERNAME: 'reader',
      SCHEMA_REGISTRY_PASSWORD_FILE: files.path('password'),
    });
    await writeFile(files.path('password'), 'second\n');
    await values.whenReadable(framed(1, Buffer.of(14)));
    await rm(files.path('password'));
    await values.whenReadable(framed(2, Buffer.of(14)));
    expect(passwords).toEqual(['reader:second', 'reader:second']);
    expect(readingText(values.read(framed(2, Buffer.of(14))))).toBe('7');
  });
});
