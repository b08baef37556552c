import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import * as answers from '../support/endpoints/answers.ts';
import { createAuthority, createSelfSigned, expired, type Authority, type Identity } from '../support/tls/authority.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import {
  reserveRefusingPort,
  resetInHandshake,
  speakPlainHttp,
  startListener,
} from '../support/endpoints/listeners.ts';
import { authority, ClientUnderTest, hosts, patience, startPair } from './client-under-test.ts';

const lost = (when: string): RequestOutcome => ({
  kind: 'connection_lost',
  message: `the connection was closed ${when}`,
});
const tooLarge = 'the endpoint sent more than 64 KiB before the end of the response head';
const exceeded: RequestOutcome = { kind: 'protocol_error', message: tooLarge, hasExceeded: true };

describe('without a usable response, the outcome is', () => {
  it.each<[string, answers.Answer, RequestOutcome]>([
    ['connection_lost when the connection ends', answers.disconnect(), lost('before a response came')],
    ['connection_lost when it is reset', answers.reset(), lost('before a response came')],
    ['connection_lost when it is reset within the head', answers.resetInHead(), lost('within the response head')],
    ['protocol_error when the head is too large', answers.largeHead(64 * 1024), exceeded],
  ])('%s', async (_title, answer, outcome) => {
    await using client = await startPair({ answers: [answer] });
    expect(await client.outcome()).toEqual(outcome);
    expect(client.client.state()).toMatchObject({ idle: 0 });
  });

  it('connect_error when the connection is refused', async () => {
    await using refusing = await reserveRefusingPort();
    await using client = new ClientUnderTest();
    const outcome = await client.outcome({ port: refusing.port });
    expect(outcome).toEqual({ kind: 'connect_error', message: 'the connection was refused' });
  });

  it('connect_error when the connection is reset in the TLS handshake', async () => {
    await using listener = await startListener(resetInHandshake);
    await using client = new ClientUnderTest();
    const outcome = await client.outcome({ port: listener.port });
    expect(outcome).toEqual({ kind: 'connect_error', message: 'the connection was closed during the TLS handshake' });
  });

  it.each([
    ['ENOTFOUND', 'dns_error', 'the host name does not exist'],
    ['ENODATA', 'dns_error', 'the host name has no address'],
    ['ESERVFAIL', 'dns_error', 'the host name could not be resolved (ESERVFAIL)'],
    ['ECONNREFUSED', 'local_error', 'our name server is not there'],
  ])('for a lookup that fails with %s: %s', async (code, kind, message) => {
    const resolve = (): Promise<never> => Promise.reject(Object.assign(new Error('query failed'), { code }));
    await using client = new ClientUnderTest({ resolve });
    expect(await client.outcome({ port: 443 })).toEqual({ kind, message });
  });

  it('local_error when a request can not be written', async () => {
    await using client = await startPair();
    const outcome = await client.outcome({ headers: ['X', 'a\r\nb'] });
    expect(outcome).toEqual({ kind: 'local_error', message: 'the request could not be made (UND_ERR_INVALID_ARG)' });
    await client.open(0);
  });
});

const otherAuthority = createAuthority('Another authority');
const later = { notBefore: inHours(1), notAfter: inHours(2) };
const oldTls = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

describe('a TLS handshake fails with a reason when', () => {
  it.each<[message: string, server: Parameters<typeof startPair>[0]]>([
    ['the certificate has expired', { identity: authority.issue({ names: hosts, ...expired() }) }],
    ['the certificate is not valid yet', { identity: authority.issue({ names: hosts, ...later }) }],
    ['the certificate is for another host', { identity: authority.issue({ names: ['other.test'] }) }],
    ['the certificate is self-signed', { identity: createSelfSigned({ names: hosts }) }],
    [
      'the certificate is from an unknown issuer, or an intermediate certificate is missing',
      { identity: otherAuthority.issue({ names: hosts }) },
    ],
    ['the certificate is from an unknown issuer', { identity: withIssuer(otherAuthority) }],
    ['the endpoint does not offer TLS 1.2 or higher', { tls: oldTls }],
    ['the endpoint does not offer HTTP/1.1', { tls: { ALPNProtocols: ['h2'] } }],
  ])('%s', async (message, server) => {
    await using client = await startPair(server);
    expect(await client.outcome()).toEqual({ kind: 'tls_error', message });
    expect(client.endpoint.requests).toEqual([]);
  });

  it('what answers on this port is not TLS', async () => {
    await using listener = await startListener(speakPlainHttp);
    await using client = new ClientUnderTest();
    const message = 'what answers on this port is not TLS';
    expect(await client.outcome({ port: listener.port })).toEqual({ kind: 'tls_error', message });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('the endpoint asks for a client certificate in %s', async (version) => {
    const tls = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
    await using client = await startPair({ tls });
    const { kind } = await client.outcome();
    // In TLS 1.3 the endpoint refuses after the handshake, and its alert may be lost with the connection.
    expect(version === 'TLSv1.2' ? ['tls_error', 'connect_error'] : ['tls_error', 'connection_lost']).toContain(kind);
  });
});

describe('the deadline', () => {
  it('ends the wait for a response head on time, and aborts the request', async () => {
    const clock = new ManualClock();
    await using client = await startPair({ answers: [answers.hang()], clock, timeoutMs: 300 });
    const ended: unknown[] = [];
    const outcome = client.outcome().then((one) => void ended.push(one));
    await client.endpoint.received(1);
    await clock.advance(299);
    expect(ended).toEqual([]);
    await clock.advance(1);
    await outcome;
    expect(ended).toEqual([{ kind: 'timeout', message: 'no response within 300 ms' }]);
    await expect.poll(() => client.endpoint.connectionsOpen, patience).toBe(0);
  });

  it.each([
    ['within the head', answers.hangInHead()],
    ['after interim responses', answers.afterInterim([102, 102, 102], answers.hang())],
  ])('ends the wait for an endpoint that hangs %s', async (_title, answer) => {
    const clock = new ManualClock();
    await using client = await startPair({ answers: [answer], clock, timeoutMs: 15_000 });
    const { outcome } = client.send();
    await client.endpoint.received(1);
    await clock.advance(15_000);
    expect(await outcome).toEqual({ kind: 'timeout', message: 'no response within 15000 ms' });
    expect(clock.pending).toBe(0);
  });

  it('includes lookup, connection and TLS', async () => {
    const clock = new ManualClock();
    await using client = new ClientUnderTest({ clock, timeoutMs: 300, connectTimeoutMs: 10_000, resolve: never });
    const { outcome } = client.send({ port: 443 });
    await clock.advance(300);
    expect(await outcome).toEqual({ kind: 'timeout', message: 'no response within 300 ms' });
    expect(clock.pending).toBe(0);
  });
});

describe('the shorter limit for a connection', () => {
  it('ends a lookup', async () => {
    const clock = new ManualClock();
    await using client = new ClientUnderTest({ clock, connectTimeoutMs: 1000, resolve: never });
    const { outcome } = client.send({ port: 443 });
    await clock.advance(1000);
    expect(await outcome).toEqual({ kind: 'timeout', message: 'the host name was not resolved in time' });
    expect(clock.pending).toBe(0);
  });

  it('ends a TLS handshake', async () => {
    const clock = new ManualClock();
    const greeted = Promise.withResolvers<void>();
    await using listener = await startListener((socket) => socket.once('data', () => greeted.resolve()));
    await using client = new ClientUnderTest({ clock, connectTimeoutMs: 1000 });
    const { outcome } = client.send({ port: listener.port });
    await greeted.promise;
    await clock.advance(999);
    expect(clock.pending).toBe(2);
    await clock.advance(1);
    expect(await outcome).toEqual({ kind: 'timeout', message: 'TLS was not established in time' });
    expect(clock.pending).toBe(0);
  });
});

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Returns an identity whose certificate is followed by that of its authority. */
function withIssuer(issuer: Authority): Identity {
  const { certificate, key } = issuer.issue({ names: hosts });
  return { certificate: `${certificate}\n${issuer.certificate}`, key };
}

function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000);
}
