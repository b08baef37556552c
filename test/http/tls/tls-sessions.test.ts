import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { closing } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { passOn, resetInHandshake, speakPlainHttp, startListener } from '../../support/endpoints/listeners.ts';
import { authority, ClientUnderTest, identity } from '../client-under-test.ts';
import { TlsSessions } from '../../../src/http/tls/tls-sessions.ts';

/** Sessions share their bytes, so that the test takes no memory. */
const stored = (bytes: number) => ({ session: Buffer.alloc(bytes), validUntil: 1000 });

/** Stores sessions of many endpoints. Returns how many of them are kept, which are the latest. */
function keptOf(count: number, bytes: number): number {
  const sessions = new TlsSessions();
  const session = stored(bytes);
  const key = (index: number): string => `host-${index}.test:443`;
  for (let index = 0; index < count; index += 1) sessions.store(key(index), session);
  const kept = Array.from({ length: count }, (_, index) => sessions.find(key(index), 0) !== undefined);
  const first = kept.indexOf(true);
  expect(kept.slice(first)).not.toContain(false);
  return count - first;
}

it('keeps 200 MiB of sessions, those of the endpoints that were connected to last', () => {
  expect(keptOf(100_000, 2000)).toBeGreaterThan(80_000);
});

it('does not take a gigabyte for sessions of 10 KB', () => {
  expect(keptOf(100_000, 10_000) * 10_000).toBeLessThan(200 * 1024 * 1024);
});

it('keeps no session whose ticket is as large as a server can make it', () => {
  const sessions = new TlsSessions();
  sessions.store('a.test:443', stored(16 * 1024));
  sessions.store('b.test:443', stored(60_000));
  expect([sessions.find('a.test:443', 0), sessions.find('b.test:443', 0)].map((one) => one !== undefined)).toEqual([
    true,
    false,
  ]);
});

/** Returns a session with an endpoint as Node emits it, and the certificate of that endpoint. */
async function sessionWith(port: number) {
  const socket = connect({ port, host: '127.0.0.1', servername: 'a.test', ca: authority.certificate });
  const [session] = (await once(socket, 'session')) as [Buffer];
  const certificate = socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0);
  socket.destroy();
  return { session, certificate };
}

describe.each([
  { version: 'TLSv1.3', keepsCertificate: false },
  // Its resumed handshake looks at the certificate.
  { version: 'TLSv1.2', keepsCertificate: true },
] as const)('a session of $version', ({ version, keepsCertificate }) => {
  it(`is kept ${keepsCertificate ? 'with' : 'without'} the certificate`, async () => {
    await using endpoint = await startEndpoint({ identity, tls: { maxVersion: version } });
    const { session, certificate } = await sessionWith(endpoint.port);
    const sessions = new TlsSessions();
    sessions.store('a.test:443', { session, validUntil: 1000 });
    const kept = sessions.find('a.test:443', 0)?.session;
    expect(session.includes(certificate)).toBe(true);
    expect(kept?.includes(certificate)).toBe(keepsCertificate);
    expect(kept).toHaveLength(keepsCertificate ? session.length : session.length - certificate.length - 4);
  });
});

it.each([
  ['is cut off', (session: Buffer) => session.subarray(0, -1)],
  ['is followed by a byte', (session: Buffer) => Buffer.concat([session, Buffer.of(0)])],
])('keeps a session as it is that %s', async (_title, change) => {
  await using endpoint = await startEndpoint({ identity });
  const changed = change((await sessionWith(endpoint.port)).session);
  const sessions = new TlsSessions();
  sessions.store('a.test:443', { session: changed, validUntil: 1000 });
  expect(sessions.find('a.test:443', 0)?.session.equals(changed)).toBe(true);
});

describe('a handshake that fails while it offers an old session', () => {
  it.each([
    ['is replaced once, without that session', 1, { kind: 'delivered', status: 200 }, 3],
    ['is not replaced twice', 2, { kind: 'connect_error' }, 3],
  ])('%s', async (_title, failing, outcome, connections) => {
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    await using listener = await startListener((socket) => {
      const isFailing = listener.connectionsOpened > 1 && listener.connectionsOpened <= 1 + failing;
      if (isFailing) resetInHandshake(socket);
      else passOn(socket, endpoint.port);
    });
    await using client = new ClientUnderTest();
    await client.outcome({ port: listener.port });
    await client.open(0);
    expect(await client.outcome({ port: listener.port })).toMatchObject(outcome);
    expect(listener.connectionsOpened).toBe(connections);
    expect(client.opened).not.toContain(true);
  });

  it('costs none of sixteen deliveries at once, after a roll-back of the server', async () => {
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    await using listener = await startListener((socket) => {
      const offersOldSession = listener.connectionsOpened > 1 && listener.connectionsOpened <= 17;
      if (offersOldSession) resetInHandshake(socket);
      else passOn(socket, endpoint.port);
    });
    await using client = new ClientUnderTest();
    await client.outcome({ port: listener.port });
    await client.open(0);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => client.outcome({ port: listener.port })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(16).fill('delivered'));
    expect(listener.connectionsOpened).toBe(33);
  });

  it('is the only one that is replaced', async () => {
    await using listener = await startListener(speakPlainHttp);
    await using client = new ClientUnderTest();
    expect(await client.outcome({ port: listener.port })).toMatchObject({ kind: 'tls_error' });
    expect(listener.connectionsOpened).toBe(1);
  });
});
