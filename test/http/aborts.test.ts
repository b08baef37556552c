import { describe, expect, it } from 'vitest';
import * as answers from '../support/endpoints/answers.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { startListener } from '../support/endpoints/listeners.ts';
import { ClientUnderTest, delivered, identity, patience, startPair } from './client-under-test.ts';

describe('a request that is aborted', () => {
  it('is draining, and its connection is closed', async () => {
    await using client = await startPair({ answers: [answers.hang()] });
    const inFlight = client.send();
    await client.endpoint.received(1);
    inFlight.abort();
    expect(await inFlight.outcome).toEqual({ kind: 'draining' });
    await expect.poll(() => client.endpoint.connectionsOpen, patience).toBe(0);
  });

  it.each([
    ['at once', async () => undefined],
    ['in the TLS handshake', (greeted: Promise<void>) => greeted],
  ])('%s is draining too', async (_title, until) => {
    const greeted = Promise.withResolvers<void>();
    await using listener = await startListener((socket) => socket.once('data', () => greeted.resolve()));
    await using client = new ClientUnderTest();
    const inFlight = client.send({ port: listener.port });
    await until(greeted.promise);
    inFlight.abort();
    expect(await inFlight.outcome).toEqual({ kind: 'draining' });
  });

  it('keeps an outcome that it has, and leaves its connection to the next request', async () => {
    await using endpoint = await startEndpoint({ identity });
    endpoint.script('/later', answers.later(20, answers.status(201)));
    await using client = new ClientUnderTest();
    const inFlight = client.send({ port: endpoint.port });
    expect(await inFlight.outcome).toEqual(delivered);
    const next = client.outcome({ port: endpoint.port, path: '/later' });
    await endpoint.received(2);
    inFlight.abort();
    expect(await inFlight.outcome).toEqual(delivered);
    expect(await next).toEqual({ kind: 'delivered', status: 201 });
    expect(endpoint.connectionsOpened).toBe(1);
  });

  it('stops reading a body', async () => {
    const clock = new ManualClock();
    await using client = await startPair({ answers: [answers.hangInBody()], clock });
    const inFlight = client.send();
    await inFlight.outcome;
    inFlight.abort();
    await client.open(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a request whose connection took so long that the session of this process may have ended', () => {
  it.each([
    ['is known to be lost', () => false],
    ['may be lost', () => Promise.resolve(true)],
  ])('is not written if its partition %s', async (_title, stillOwned) => {
    await using client = await startPair();
    expect(await client.send({}, { stillOwned }).outcome).toEqual({ kind: 'draining' });
    await client.open(0);
    expect([client.endpoint.connectionsOpened, client.endpoint.requests]).toEqual([1, []]);
  });
});

describe('a request that is held until the pace of its webhook allows it', () => {
  it.each([
    { connection: 'a new', before: 0 },
    { connection: 'an idle', before: 1 },
  ])('is written on $connection connection then, and not once it is aborted', async ({ before }) => {
    const clock = new ManualClock();
    await using client = await startPair({ clock });
    for (let sent = 0; sent < before; sent += 1) await client.outcome();
    const hold = async () => {
      const isOpen = Promise.withResolvers<void>();
      const holdMs = (): number => (isOpen.resolve(), 500);
      const held = client.send({}, { holdMs });
      await isOpen.promise;
      await clock.advance(499);
      return held;
    };
    const written = await hold();
    expect(client.endpoint.requests).toHaveLength(before);
    await clock.advance(1);
    expect(await written.outcome).toMatchObject({ kind: 'delivered' });
    const aborted = await hold();
    aborted.abort();
    await clock.advance(1);
    expect(await aborted.outcome).toEqual({ kind: 'draining' });
    await client.open(0);
    expect(client.endpoint.requests).toHaveLength(before + 1);
  });
});

describe('a client that is disposed', () => {
  it('aborts the requests in flight and closes every connection', async () => {
    await using endpoint = await startEndpoint({ identity });
    endpoint.script('/hang', answers.hang());
    endpoint.script('/drip', answers.drip());
    await using listener = await startListener();
    const client = new ClientUnderTest();
    await client.outcome({ port: endpoint.port });
    await client.outcome({ port: endpoint.port, path: '/drip' });
    const hanging = [client.send({ port: endpoint.port, path: '/hang' }), client.send({ port: listener.port })];
    await endpoint.received(3);
    await client[Symbol.asyncDispose]();
    expect(await Promise.all(hanging.map(({ outcome }) => outcome))).toEqual([
      { kind: 'draining' },
      { kind: 'draining' },
    ]);
    expect(client.client.state()).toEqual({ open: 0, idle: 0 });
    await expect.poll(() => endpoint.connectionsOpen, patience).toBe(0);
  });

  it('accepts no further request', async () => {
    const client = new ClientUnderTest();
    await client[Symbol.asyncDispose]();
    expect(await client.outcome({ port: 443 })).toEqual({ kind: 'draining' });
  });
});
