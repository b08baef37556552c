import { describe, expect, it } from 'vitest';
import { KafkaCredentialsWatch } from '../../src/service/kafka-credential-files.ts';
import { loadSettings, type KafkaSettings } from '../../src/settings.ts';
import { createAuthority } from '../support/tls/authority.ts';
import { mountSecret, type MountedSecret } from '../support/files/mounted-secret.ts';
import { PollClock } from '../webhooks/poll-clock.ts';

const authority = createAuthority();
const [old, renewed] = [authority.issue(), authority.issue()];

async function watching(secret: MountedSecret) {
  const loaded = await loadSettings({
    KAFKA_BROKERS: 'kafka:9092',
    KAFKA_TLS: 'true',
    KAFKA_TLS_CERT_FILE: secret.path('tls.crt'),
    KAFKA_TLS_KEY_FILE: secret.path('tls.key'),
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'service',
    KAFKA_SASL_PASSWORD_FILE: secret.path('password'),
  });
  if (loaded.kind === 'problems') throw new Error('the settings have problems');
  return watch(loaded.settings.kafka);
}

function watch(settings: KafkaSettings) {
  const clock = new PollClock();
  const told: string[] = [];
  const parts = {
    settings,
    clock,
    events: {
      credentialsReloaded: () => void told.push('reloaded'),
      credentialsReloadFailed: ({ reason }: { readonly reason: string }) => void told.push(reason),
    },
  };
  return { credentials: new KafkaCredentialsWatch(parts), clock, told };
}

const texts = ({ certificate, key }: typeof old, password: string) => ({
  'tls.crt': certificate,
  'tls.key': key,
  password: `${password}\n`,
});

describe('what Kafka is shown', () => {
  it('is what the files held at start, until they are replaced', async () => {
    await using secret = await mountSecret(texts(old, 'one'));
    const { credentials, clock, told } = await watching(secret);
    await using _ = credentials;
    await clock.look(3);
    expect(credentials.current.password?.reveal()).toBe('one');
    await secret.replace(texts(renewed, 'another'));
    await clock.look(1);
    expect(credentials.current.password?.reveal()).toBe('one');
    await clock.look(1);
    expect(credentials.current.password?.reveal()).toBe('another');
    expect(credentials.current.clientCertificate?.chain).toBe(renewed.certificate);
    expect(told).toEqual(['reloaded']);
    await secret.replace(texts(old, 'one'));
    await clock.look(2);
    expect(credentials.current.password?.reveal()).toBe('one');
    expect(told).toEqual(['reloaded', 'reloaded']);
  });

  it.each([
    {
      what: 'a key without its certificate',
      files: { ...texts(old, 'one'), 'tls.key': renewed.key },
      reason: 'KAFKA_TLS_KEY_FILE is not the key of KAFKA_TLS_CERT_FILE',
    },
    { what: 'no certificate', files: { ...texts(old, 'one'), 'tls.crt': '' }, reason: 'KAFKA_TLS_CERT_FILE names' },
    { what: 'an empty password', files: texts(old, ''), reason: 'KAFKA_SASL_PASSWORD_FILE names' },
    { what: 'no file', files: {}, reason: "names a file that cannot be read" },
  ])('stays as it was while there is $what, which is told once a minute', async ({ files, reason }) => {
    await using secret = await mountSecret(texts(old, 'one'));
    const { credentials, clock, told } = await watching(secret);
    await using _ = credentials;
    await secret.replace(files);
    await clock.look(60);
    expect(told).toEqual([expect.stringContaining(reason)]);
    expect(told.join()).not.toMatch(/PRIVATE|-one-/v);
    await clock.look(1);
    expect(told).toHaveLength(2);
    expect(credentials.current.clientCertificate?.chain).toBe(old.certificate);
    expect(credentials.current.password?.reveal()).toBe('one');
    await secret.replace(texts(renewed, 'another'));
    await clock.look(2);
    expect(told.at(-1)).toBe('reloaded');
  });
});
