import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closing } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { resetInHandshake, speakPlainHttp, startListener } from '../../support/endpoints/listeners.ts';
import { ClientUnderTest, identity } from '../client-under-test.ts';
import { TlsSessions } from '../../../src/http/tls/tls-sessions.ts';

const stored = { session: Buffer.from('session'), validUntil: 1000 };

it('keeps the sessions of the 100,000 endpoints that were connected to last', () => {
  const sessions = new TlsSessions();
  for (let index = 0; index < 100_000; index += 1) sessions.store(`host-${index}.test:443`, stored);
  expect(sessions.find('host-0.test:443', 0)).toBe(stored);
  sessions.store('one-more.test:443', stored);
  expect(sessions.find('host-0.test:443', 0)).toBe(stored);
  expect(sessions.find('host-1.test:443', 0)).toBeUndefined();
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

function passOn(socket: Socket, port: number): void {
  const peer = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pipe(peer).pipe(socket);
  socket.on('close', () => peer.destroy());
}
