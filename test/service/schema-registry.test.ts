import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { openFramedValues } from '../../src/service/schema-registry.ts';
import type { SchemaRegistrySettings } from '../../src/settings.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { framed } from '../support/registry/framed.ts';
import { startRegistryServer } from '../support/registry/registry-server.ts';
import { readingText } from '../support/registry/schemas.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

function open(schemaRegistry: SchemaRegistrySettings | undefined) {
  const events = { schemaRegistryFailed: () => undefined, schemaUnknown: () => undefined };
  return openFramedValues({ settings: { schemaRegistry }, events, clock: new ManualClock() });
}

describe('framed values', () => {
  it('are undecodable if no registry is configured', async () => {
    using values = await open(undefined);
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
    await using files = await writeTemporaryFiles({ password: 'second\n' });
    const password = { value: new Secret('first'), file: files.path('password') };
    using values = await open({
      urls: [server.url],
      credentials: { username: 'reader', password },
      certificateAuthorities: undefined,
    });
    await values.whenReadable(framed(1, Buffer.of(14)));
    await rm(files.path('password'));
    await values.whenReadable(framed(2, Buffer.of(14)));
    expect(passwords).toEqual(['reader:second', 'reader:second']);
    expect(readingText(values.read(framed(2, Buffer.of(14))))).toBe('7');
  });
});
