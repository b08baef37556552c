import { describe, expect, it } from 'vitest';
import { describeProblem, loadSettings, type LoadedSettings } from '../src/settings.ts';
import { createAuthority } from './support/tls/authority.ts';
import { keySetText, secretJwk } from './support/keys.ts';
import { settingsFrom } from './support/service/default-settings.ts';
import { writeTemporaryFiles } from './support/files/temporary-files.ts';

const brokers = { KAFKA_BROKERS: 'localhost:9092' };
const login = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'service' };

function problemsOf(loaded: LoadedSettings): readonly string[] {
  return loaded.kind === 'ok' ? [] : loaded.problems.map(describeProblem);
}

describe('loadSettings', () => {
  it.each([
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret\n\n', 'secret\n'],
    [' secret ', ' secret '],
  ])('reads a secret from the file content %j as %j, and keeps its path', async (content, secret) => {
    await using files = await writeTemporaryFiles({ password: content });
    const file = files.path('password');
    const { kafka } = await settingsFrom({ ...login, KAFKA_SASL_PASSWORD_FILE: file });
    expect(kafka.sasl?.secret.value.reveal()).toBe(secret);
    expect(kafka.sasl?.secret.file).toBe(file);
  });

  it('names every file that cannot be read, and why', async () => {
    await using files = await writeTemporaryFiles({
      binary: new Uint8Array([0xff, 0xfe]),
      large: 'x'.repeat(2 ** 20 + 1),
    });
    const [gone, folder] = [files.path('gone'), files.root];
    const loaded = await loadSettings({
      ...brokers,
      ...login,
      KAFKA_SASL_PASSWORD_FILE: files.path('binary'),
      DELIVERY_PROXY_URL_FILE: gone,
      DELIVERY_CA_FILE: folder,
      WEBHOOK_KEYS_FILE: files.path('large'),
    });
    expect(problemsOf(loaded)).toEqual([
      `KAFKA_SASL_PASSWORD_FILE is "${files.path('binary')}": expected a file that can be read (it is not UTF-8)`,
      `WEBHOOK_KEYS_FILE is "${files.path('large')}": expected a file that can be read (it is larger than 1 MiB)`,
      `DELIVERY_CA_FILE is "${folder}": expected a file that can be read (it is a folder in which no file ends in .crt or .pem)`,
      `DELIVERY_PROXY_URL_FILE is "${gone}": expected a file that can be read (ENOENT: no such file or directory)`,
    ]);
  });

  it('refuses a file with the wrong content, and prints nothing of it', async () => {
    await using files = await writeTemporaryFiles({ empty: '\n', proxy: 'proxy:hush', text: 'hush' });
    const loaded = await loadSettings({
      ...brokers,
      ...login,
      KAFKA_SASL_PASSWORD_FILE: files.path('empty'),
      DELIVERY_PROXY_URL_FILE: files.path('proxy'),
      DELIVERY_CA_FILE: files.path('text'),
    });
    const problems = problemsOf(loaded);
    expect(problems).toHaveLength(3);
    expect(problems[0]).toContain('expected the path of a file with a non-empty value');
    expect(problems[1]).toContain('expected a PEM file with one or more X.509 certificates');
    expect(problems.join()).not.toContain('hush');
  });

  it('reads the files for TLS', async () => {
    const authority = createAuthority();
    const { certificate, key } = authority.issue();
    await using files = await writeTemporaryFiles({ ca: authority.certificate, certificate, key });
    const { kafka, egress } = await settingsFrom({
      KAFKA_TLS: 'true',
      KAFKA_TLS_CA_FILE: files.path('ca'),
      KAFKA_TLS_CERT_FILE: files.path('certificate'),
      KAFKA_TLS_KEY_FILE: files.path('key'),
      DELIVERY_CA_FILE: files.path('ca'),
    });
    expect(kafka.tls.certificateAuthorities?.value).toBe(authority.certificate);
    expect(kafka.tls.chain?.value).toBe(certificate);
    expect(kafka.tls.key?.value.reveal()).toBe(key);
    expect(egress.certificateAuthorities?.value).toBe(authority.certificate);
  });

  it('refuses TLS files without TLS, and the key of another certificate', async () => {
    const authority = createAuthority();
    await using files = await writeTemporaryFiles({
      certificate: authority.issue().certificate,
      key: authority.issue().key,
    });
    const loaded = await loadSettings({
      ...brokers,
      KAFKA_TLS_CERT_FILE: files.path('certificate'),
      KAFKA_TLS_KEY_FILE: files.path('key'),
    });
    expect(problemsOf(loaded)).toEqual([
      'KAFKA_TLS is false: expected true, or KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE to be unset',
      `KAFKA_TLS_KEY_FILE is "${files.path('key')}": expected the key of KAFKA_TLS_CERT_FILE`,
    ]);
  });

  it('refuses a certificate without its key', async () => {
    await using files = await writeTemporaryFiles({ certificate: createAuthority().issue().certificate });
    const certificate = files.path('certificate');
    const loaded = await loadSettings({ ...brokers, KAFKA_TLS: 'true', KAFKA_TLS_CERT_FILE: certificate });
    expect(problemsOf(loaded)).toEqual([
      'KAFKA_TLS_KEY_FILE is not set: expected a value, because KAFKA_TLS_CERT_FILE is set',
    ]);
  });

  it('knows the path of the keys for sealed configurations', async () => {
    await using files = await writeTemporaryFiles({ keys: keySetText(secretJwk()) });
    const keysFile = files.path('keys');
    const environment = { WEBHOOK_KEYS_FILE: keysFile, WEBHOOK_REQUIRE_SEALED: 'true' };
    const { webhooks } = await settingsFrom(environment);
    expect(webhooks).toMatchObject({ keys: { file: keysFile }, requireSealed: true });
  });

  it('reads no file of a secret that is set twice', async () => {
    const read: string[] = [];
    await loadSettings(
      { ...brokers, KAFKA_SASL_PASSWORD: 'p', KAFKA_SASL_PASSWORD_FILE: '/password' },
      async (path) => {
        read.push(path);
        return '';
      },
    );
    expect(read).toEqual([]);
  });
});
