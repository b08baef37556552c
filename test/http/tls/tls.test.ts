import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { closing, hang } from '../../support/endpoints/answers.ts';
import { createAuthority, createSelfSigned } from '../../support/tls/authority.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { authority, ClientUnderTest, delivered, hosts, identity, startPair } from '../client-under-test.ts';

const versions = ['TLSv1.2', 'TLSv1.3'] as const;

describe.each(versions)('over %s', (version) => {
  const tls = { minVersion: version, maxVersion: version };

  it('a request is delivered, and the next connection resumes the session', async () => {
    await using client = await startPair({ tls, answers: [closing(200)] });
    for (const _ of [1, 2, 3]) {
      await client.outcome();
      await client.open(0);
    }
    expect(client.endpoint.requests.map((request) => request.tls)).toMatchObject([
      { version, resumed: false },
      { version, resumed: true },
      { version, resumed: true },
    ]);
    expect(client.opened).toEqual([false, true, true]);
  });

  it('all later connections resume a session, also those that are opened at once', async () => {
    await using client = await startPair({ tls, answers: [closing(200)] });
    await client.outcome();
    for (const _ of Array.from({ length: 20 })) {
      await Promise.all(Array.from({ length: 10 }, () => client.outcome()));
    }
    await client.open(0);
    expect(client.opened).toHaveLength(201);
    expect(client.opened.filter((resumed) => resumed).length).toBeGreaterThanOrEqual(0.95 * client.opened.length);
  });

  it('no session is resumed under another name', async () => {
    await using client = await startPair({ tls, answers: [closing(200)] });
    await client.outcome({ host: 'a.test' });
    await client.open(0);
    await client.outcome({ host: 'b.test' });
    expect(client.opened).toEqual([false, false]);
  });

  it('no session is resumed when its certificate has expired since', async () => {
    const clock = new ManualClock(Date.now());
    const ending = authority.issue({ names: hosts, notAfter: new Date(Date.now() + 24 * 3_600_000) });
    await using client = await startPair({ identity: ending, tls, answers: [closing(200)], clock });
    await client.outcome();
    await client.open(0);
    await clock.advance(91 * 24 * 3_600_000);
    await client.outcome();
    expect(client.opened).toEqual([false, false]);
  });

  it('a certificate that was refused is refused again', async () => {
    const wrong = authority.issue({ names: ['other.test'] });
    await using client = await startPair({ identity: wrong, tls });
    for (const _ of [1, 2, 3]) {
      expect(await client.outcome()).toMatchObject({ kind: 'tls_error' });
    }
    expect(client.opened).toEqual([]);
  });
});

describe('the trusted authorities', () => {
  it('are the public ones and the configured ones', async () => {
    const known = createAuthority('A public authority');
    const before = getCACertificates('default');
    using _ = { [Symbol.dispose]: () => setDefaultCACertificates(before) };
    setDefaultCACertificates([known.certificate]);
    await using client = new ClientUnderTest();
    await using added = await startEndpoint({ identity });
    expect(await client.outcome({ port: added.port })).toMatchObject({ kind: 'delivered' });
    await using other = await startEndpoint({ identity: known.issue({ names: ['a.test'] }) });
    expect(await client.outcome({ port: other.port })).toMatchObject({ kind: 'delivered' });
  });
});

describe('the server name in the handshake', () => {
  it('has no dot at its end', async () => {
    await using client = await startPair();
    expect(await client.outcome({ host: 'a.test.' })).toEqual(delivered);
    const [received] = await client.endpoint.received(1);
    expect(received?.tls.serverName).toBe('a.test');
    expect(received?.header('host')).toBe(`a.test.:${client.endpoint.port}`);
  });

  it('is empty for an address, which the certificate must then name', async () => {
    await using named = await startEndpoint({ identity });
    await using unnamed = await startEndpoint({ identity: authority.issue({ names: ['a.test'] }) });
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: named.port, host: '127.0.0.1' })).toEqual(delivered);
    expect(named.requests[0]?.tls.serverName).toBeUndefined();
    expect(await client.outcome({ port: unnamed.port, host: '127.0.0.1' })).toEqual({
      kind: 'tls_error',
      message: 'the certificate is for another host',
    });
  });
});

describe('certificates are verified', () => {
  it('even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      await using client = await startPair({ identity: createSelfSigned({ names: ['a.test'] }) });
      expect(await client.outcome()).toMatchObject({ kind: 'tls_error' });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('against every authority of a bundle', async () => {
    const bundle = [createAuthority('Another authority').certificate, authority.certificate].join('\n');
    await using client = await startPair({ certificateAuthorities: [bundle] });
    expect(await client.outcome()).toEqual(delivered);
  });

  it('against the public authorities alone when no other is configured', async () => {
    await using client = await startPair({ certificateAuthorities: [] });
    expect(await client.outcome()).toMatchObject({ kind: 'tls_error' });
  });
});

describe('a chain of certificates', () => {
  const names = (count: number): readonly string[] => [
    'a.test',
    ...Array.from({ length: count }, (_, index) => `name-${index}.of-a-tenant.test`),
  ];
  const tooLarge = {
    kind: 'tls_error',
    message: 'the endpoint sent more than 32 KiB in the TLS handshake',
    hasExceeded: true,
  };

  it.each([
    { trust: 'trusted', title: 'of 27 KB', issuer: authority, count: 900, outcome: { kind: 'delivered', status: 200 } },
    { trust: 'trusted', title: 'of 43 KB', issuer: authority, count: 1500, outcome: tooLarge },
    // What is refused has cost the same time.
    { trust: 'unknown', title: 'of 43 KB', issuer: createAuthority('Unknown'), count: 1500, outcome: tooLarge },
  ])('$title from an authority that is $trust leads to $outcome.kind', async ({ issuer, count, outcome }) => {
    await using endpoint = await startEndpoint({ identity: issuer.issue({ names: names(count) }) });
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: endpoint.port })).toEqual(outcome);
  });
});

it('a hanging endpoint does not delay another one', async () => {
  await using hanging = await startEndpoint({ identity, answers: [hang()] });
  await using endpoint = await startEndpoint({ identity });
  await using client = new ClientUnderTest({ timeoutMs: 60_000 });
  const stuck = Array.from({ length: 50 }, () => client.send({ port: hanging.port }));
  await hanging.received(50);
  expect(await client.outcome({ port: endpoint.port })).toEqual(delivered);
  for (const inFlight of stuck) inFlight.abort();
});

it('the client knows the end of a certificate from the handshake', async () => {
  const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + 5 * 24 * 3_600_000);
  await using endpoint = await startEndpoint({ identity: authority.issue({ names: hosts, notAfter }) });
  await using test = new ClientUnderTest();
  const endpointOrigin = `https://a.test:${endpoint.port}`;
  expect(test.client.certificateEnd(endpointOrigin)).toBeUndefined();
  await test.outcome({ port: endpoint.port });
  expect(test.client.certificateEnd(endpointOrigin)).toBe(notAfter.getTime());
  expect(test.client.certificateEnd(`https://b.test:${endpoint.port}`)).toBeUndefined();
});
