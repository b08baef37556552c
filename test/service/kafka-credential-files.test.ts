import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { KafkaCredentialsWatch } from '../../src/service/kafka-credential-files.ts';
import type { KafkaSettings } from '../../src/settings.ts';
import { createAuthority } from '../support/tls/authority.ts';
import { startTlsListener } from '../support/endpoints/listeners.ts';
import { mountSecret, type MountedSecret } from '../support/files/mounted-secret.ts';
import { settingsFrom } from '../support/service/default-settings.ts';
import { PollClock } from '../webhooks/poll-clock.ts';

const authority = createAuthority();
const [old, renewed] = [authority.issue(), authority.issue()];

async function watchSecret(secret: MountedSecret) {
  const { kafka } = await settingsFrom({
    KAFKA_TLS: 'true',
    KAFKA_TLS_CERT_FILE: secret.path('tls.crt'),
    KAFKA_TLS_KEY_FILE: secret.path('tls.key'),
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'service',
    KAFKA_SASL_PASSWORD_FILE: secret.path('password'),
  });
  return startWatch(kafka);
}

function startWatch(settings: KafkaSettings) {
  const clock = new PollClock();
  const emitted: string[] = [];
  const options = {
    settings,
    clock,
    events: {
      credentialsReloaded: () => void emitted.push('reloaded'),
      credentialsReloadFailed: ({ reason }: { readonly reason: string }) => void emitted.push(reason),
    },
  };
  return { credentials: new KafkaCredentialsWatch(options), clock, emitted };
}

const texts = ({ certificate, key }: typeof old, password: string) => ({
  'tls.crt': certificate,
  'tls.key': key,
  password: `${password}\n`,
});

describe('KafkaCredentialsWatch', () => {
  it('uses the content that the files had at start, until they are replaced', async () => {
    await using secret = await mountSecret(texts(old, 'one'));
    const { credentials, clock, emitted } = await watchSecret(secret);
    await using _ = credentials;
    await clock.poll(3);
    expect(credentials.current.loginSecret?.reveal()).toBe('one');
    await secret.replace(texts(renewed, 'another'));
    await clock.poll(1);
    expect(credentials.current.loginSecret?.reveal()).toBe('one');
    await clock.poll(1);
    expect(credentials.current.loginSecret?.reveal()).toBe('another');
    expect(credentials.current.clientCertificate?.chain).toBe(renewed.certificate);
    expect(emitted).toEqual(['reloaded']);
    await secret.replace(texts(old, 'one'));
    await clock.poll(2);
    expect(credentials.current.loginSecret?.reveal()).toBe('one');
    expect(emitted).toEqual(['reloaded', 'reloaded']);
  });

  it.each([
    {
      what: 'a key without its certificate',
      files: { ...texts(old, 'one'), 'tls.key': renewed.key },
      reason: 'KAFKA_TLS_KEY_FILE is not the key of KAFKA_TLS_CERT_FILE',
    },
    { what: 'no certificate', files: { ...texts(old, 'one'), 'tls.crt': '' }, reason: 'KAFKA_TLS_CERT_FILE names' },
    { what: 'an empty password', files: texts(old, ''), reason: 'KAFKA_SASL_PASSWORD_FILE names' },
    { what: 'no file', files: {}, reason: 'names a file that cannot be read' },
  ])('keeps the credentials while there is $what, and reports it once a minute', async ({ files, reason }) => {
    await using secret = await mountSecret(texts(old, 'one'));
    const { credentials, clock, emitted } = await watchSecret(secret);
    await using _ = credentials;
    await secret.replace(files);
    await clock.poll(60);
    expect(emitted).toEqual([expect.stringContaining(reason)]);
    expect(emitted.join()).not.toMatch(/PRIVATE|-one-/v);
    await clock.poll(1);
    expect(emitted).toHaveLength(2);
    expect(credentials.current.clientCertificate?.chain).toBe(old.certificate);
    expect(credentials.current.loginSecret?.reveal()).toBe('one');
    await secret.replace(texts(renewed, 'another'));
    await clock.poll(2);
    expect(emitted.at(-1)).toBe('reloaded');
  });

  it('says that the files can be used when the content in use is put back', async () => {
    await using secret = await mountSecret(texts(old, 'one'));
    const { credentials, clock, emitted } = await watchSecret(secret);
    await using _ = credentials;
    await secret.replace(texts(old, ''));
    await clock.poll(2);
    await secret.replace(texts(old, 'one'));
    await clock.poll(3);
    expect(emitted).toEqual([expect.stringContaining('KAFKA_SASL_PASSWORD_FILE names'), 'reloaded']);
  });

  it('trusts two authorities of a folder while one replaces the other', async () => {
    const [before, after] = [createAuthority('cluster-ca v0'), createAuthority('cluster-ca v1')];
    await using oldBroker = await startTlsListener(before.issue(), (socket) => socket.end());
    await using newBroker = await startTlsListener(after.issue(), (socket) => socket.end());
    await using secret = await mountSecret({ 'ca.crt': before.certificate, 'ca.password': 'hush' });
    const { kafka } = await settingsFrom({ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: secret.root });
    const { credentials, clock, emitted } = startWatch(kafka);
    await using _ = credentials;
    const trusted = async (): Promise<readonly boolean[]> => {
      const ca = credentials.current.certificateAuthorities;
      return [await trusts(oldBroker.port, ca), await trusts(newBroker.port, ca)];
    };
    expect(await trusted()).toEqual([true, false]);
    // PEM may end without a newline.
    await secret.replace({
      'ca.crt': after.certificate.trimEnd(),
      'ca-2026-11-29T07-00-00Z.crt': before.certificate,
      'ca.password': 'hush',
    });
    await clock.poll(2);
    expect(await trusted()).toEqual([true, true]);
    await secret.replace({ 'ca.crt': after.certificate, 'ca.password': 'hush' });
    await clock.poll(2);
    expect(await trusted()).toEqual([false, true]);
    await secret.replace({ 'ca.password': 'hush' });
    await clock.poll(2);
    expect(await trusted()).toEqual([false, true]);
    expect(emitted).toEqual(['reloaded', 'reloaded', expect.stringContaining('KAFKA_TLS_CA_FILE names a file that')]);
  });
});

/** Returns true if a TLS connection to that port of this machine is made with these authorities. */
async function trusts(port: number, ca: string | undefined): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', ca });
  const isTrusted = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isTrusted;
}
