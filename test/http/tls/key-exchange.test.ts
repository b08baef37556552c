import type { TlsOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { closing, type Answer } from '../../support/endpoints/answers.ts';
import { passOn, resetInHandshake, startListener } from '../../support/endpoints/listeners.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { largeField } from '../hostile/floods.ts';
import { authority, ClientUnderTest, delivered, hosts, identity, startPair } from '../client-under-test.ts';

const rsa = authority.issue({ names: hosts, rsaBits: 2048 });
const largeRsa = authority.issue({ names: hosts, rsaBits: 4096 });
const tls12 = (ciphers: string): TlsOptions => ({ maxVersion: 'TLSv1.2', ciphers });
const tls13 = (ecdhCurve: string): TlsOptions => ({ minVersion: 'TLSv1.3', ecdhCurve });

describe('an endpoint is reached that offers only', () => {
  it.each([
    ['TLS 1.3 and X25519MLKEM768', identity, tls13('X25519MLKEM768')],
    ['TLS 1.3 and X25519, with an RSA key', rsa, tls13('X25519')],
    ['TLS 1.3 and P-256, with an RSA key of 4,096 bits', largeRsa, tls13('P-256')],
    ['TLS 1.3 and P-384', identity, tls13('P-384')],
    ['TLS 1.3 and P-521', identity, tls13('P-521')],
    ['TLS 1.2 and ECDHE-ECDSA with AES-GCM', identity, tls12('ECDHE-ECDSA-AES128-GCM-SHA256')],
    ['TLS 1.2 and ECDHE-RSA with AES-GCM', rsa, tls12('ECDHE-RSA-AES256-GCM-SHA384')],
    [
      'TLS 1.2 and ECDHE-RSA with AES-GCM over P-521',
      rsa,
      { ...tls12('ECDHE-RSA-AES128-GCM-SHA256'), ecdhCurve: 'P-521' },
    ],
    ['TLS 1.2 and ECDHE-RSA with ChaCha20', rsa, tls12('ECDHE-RSA-CHACHA20-POLY1305')],
    ['TLS 1.2 and ECDHE-RSA with AES-CBC and SHA-256', rsa, tls12('ECDHE-RSA-AES128-SHA256')],
    ['TLS 1.2 and ECDHE-RSA with AES-CBC and SHA-1', rsa, tls12('ECDHE-RSA-AES256-SHA')],
  ])('%s', async (_title, server, tls) => {
    await using client = await startPair({ identity: server, tls });
    expect(await client.outcome()).toEqual(delivered);
  });
});

describe('an endpoint is not reached that offers only', () => {
  it.each([
    ['a finite field of 8,192 bits', rsa, { ...tls12('DHE-RSA-AES128-GCM-SHA256'), dhparam: largeField() }],
    ['RSA key exchange', rsa, tls12('AES128-GCM-SHA256')],
    ['TLS 1.3 and a finite field', identity, tls13('ffdhe2048')],
    ['TLS 1.3 and X448', identity, tls13('X448')],
  ])('%s', async (_title, server, tls) => {
    await using client = await startPair({ identity: server, tls });
    expect(await client.outcome()).toEqual({
      kind: 'tls_error',
      message: expect.stringContaining('the endpoint offers none of our cipher suites and groups'),
    });
    expect(client.endpoint.requests).toEqual([]);
  });
});

it('an endpoint that asks to renegotiate gets no second handshake', async () => {
  const renegotiations: string[] = [];
  const asking: Answer = ({ tls, response }) =>
    void tls.renegotiate({}, (error) => {
      renegotiations.push(error === null ? 'done' : 'refused');
      response.end();
    });
  await using client = await startPair({ tls: { maxVersion: 'TLSv1.2' }, answers: [asking] });
  expect(await client.outcome()).toMatchObject({ kind: 'tls_error' });
  expect(renegotiations).not.toContain('done');
});

it('an endpoint that asks for a client certificate later gives one reason, whether its session is new or old', async () => {
  const asking: Answer = ({ tls }) => void tls.renegotiate({ requestCert: true }, () => undefined);
  const answers = [closing(200), asking, closing(200), asking];
  await using endpoint = await startEndpoint({ identity, tls: { maxVersion: 'TLSv1.2' }, answers });
  await using client = new ClientUnderTest();
  const reason = {
    kind: 'tls_error',
    message: 'the endpoint asks for a second TLS handshake, mostly to see a client certificate',
  };
  const outcomes: unknown[] = [];
  for (const _ of answers) {
    outcomes.push(await client.outcome({ port: endpoint.port }));
    await client.open(0);
  }
  expect(outcomes).toEqual([delivered, reason, delivered, reason]);
  expect(client.opened).toContain(true);
  await using first = new ClientUnderTest();
  await using other = await startEndpoint({ identity, tls: { maxVersion: 'TLSv1.2' }, answers: [asking] });
  expect(await first.outcome({ port: other.port })).toEqual(reason);
});

/** The longest first message that the middlebox of the test lets pass: one packet. */
const longestHelloBytes = 1400;

describe('a middlebox that resets connections with a large first message', () => {
  it('costs one connection, and is remembered for that endpoint', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [closing(200), closing(200)] });
    const hellos: number[] = [];
    await using middlebox = await startListener((socket) => {
      socket.once('data', (hello: Buffer) => {
        hellos.push(hello.length);
        if (hello.length > longestHelloBytes) socket.resetAndDestroy();
        else passOn(socket, endpoint.port, hello);
      });
    });
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: middlebox.port })).toEqual(delivered);
    expect(await client.outcome({ port: middlebox.port })).toEqual(delivered);
    expect(hellos.map((bytes) => bytes > longestHelloBytes)).toEqual([true, false, false]);
  });

  it('is not suspected where small messages are reset, too', async () => {
    await using listener = await startListener(resetInHandshake);
    await using client = new ClientUnderTest();
    for (const connections of [2, 4]) {
      expect(await client.outcome({ port: listener.port })).toMatchObject({ kind: 'connect_error' });
      expect(listener.connectionsOpened).toBe(connections);
    }
  });
});

it('a certificate with a key that is too small is refused with the least size', async () => {
  const weak = authority.issue({ names: hosts, rsaBits: 1024 });
  const tls = { ciphers: 'DEFAULT@SECLEVEL=0' };
  await using client = await startPair({ identity: weak, tls });
  expect(await client.outcome()).toEqual({
    kind: 'tls_error',
    message: 'the key of the certificate is too small: RSA needs 2,048 bits, ECDSA 224',
  });
});

it('an intermediate authority is trusted without its root', async () => {
  const intermediate = createAuthority('Root').createIntermediate('Intermediate');
  await using client = await startPair({
    identity: intermediate.issue({ names: hosts }),
    certificateAuthorities: [intermediate.certificate],
  });
  expect(await client.outcome()).toEqual(delivered);
});
