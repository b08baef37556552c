import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createTcpDialer, type DialTcp } from '../../src/http/tcp-dialer.ts';
import { portOf } from '../support/endpoints/endpoint.ts';
import { startSilentListener } from '../support/endpoints/silent-listener.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { patience } from './client-under-test.ts';

const alive = '127.0.0.1';
const silent = '127.0.0.2';
const refusing = '127.0.0.3';

/** Starts a server that accepts connections to all addresses of the loopback network, or to one of them. */
async function startServer(host = '0.0.0.0'): Promise<Server & AsyncDisposable> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, host);
  await once(server, 'listening');
  return server;
}

/** Dials, and closes the connection. Resolves to the address that it led to. */
async function addressOf(dialling: Promise<Socket>): Promise<string | undefined> {
  const socket = await dialling;
  const { remoteAddress } = socket;
  socket.destroy();
  await once(socket, 'close');
  return remoteAddress;
}

function dial(dialTcp: DialTcp, addresses: readonly string[], port: number): Promise<Socket> {
  return dialTcp({ addresses, port, signal: new AbortController().signal });
}

describe('an address that does not answer', () => {
  it('costs 250 ms once, and is tried last for a minute', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const port = portOf(server);
    await using _silence = await startSilentListener(silent, port);
    const dialTcp = createTcpDialer(clock, () => 0);
    const first = addressOf(dial(dialTcp, [silent, alive], port));
    expect(clock.pending).toBe(1);
    await clock.advance(250);
    expect(await first).toBe(alive);
    // The clock stands still, so this one does not wait for the silent address.
    expect(await addressOf(dial(dialTcp, [silent, alive], port))).toBe(alive);
    await clock.advance(60_000);
    const later = addressOf(dial(dialTcp, [silent, alive], port));
    await clock.advance(250);
    expect(await later).toBe(alive);
    expect(clock.pending).toBe(0);
  });

  it('costs 250 ms for each of five, not the whole timeout', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const port = portOf(server);
    await using silences = new AsyncDisposableStack();
    const dead = ['127.0.0.11', '127.0.0.12', '127.0.0.13', '127.0.0.14', '127.0.0.15'];
    for (const address of dead) silences.use(await startSilentListener(address, port));
    const dialling = addressOf(
      dial(
        createTcpDialer(clock, () => 0),
        [...dead, alive],
        port,
      ),
    );
    for (const _ of dead) await clock.advance(250);
    expect(await dialling).toBe(alive);
  });

  it('is given up when the caller gives up, and is tried last then', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const port = portOf(server);
    await using _silence = await startSilentListener(silent, port);
    const dialTcp = createTcpDialer(clock, () => 0);
    const controller = new AbortController();
    const dialling = dialTcp({ addresses: [silent], port, signal: controller.signal });
    await clock.advance(4000);
    controller.abort(new Error('too late'));
    await expect(dialling).rejects.toThrow('too late');
    expect(await addressOf(dial(dialTcp, [silent, alive], port))).toBe(alive);
  });
});

describe('an address that refuses', () => {
  it('is followed by the next at once, and is tried last from then on', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const dialTcp = createTcpDialer(clock, () => 0);
    expect(await addressOf(dial(dialTcp, [refusing, alive], portOf(server)))).toBe(alive);
    expect(clock.pending).toBe(0);
  });

  it('leads to its error, and several to all of theirs', async () => {
    const server = await startServer(alive);
    const port = portOf(server);
    await server[Symbol.asyncDispose]();
    const dialTcp = createTcpDialer(new ManualClock(), () => 0);
    await expect(dial(dialTcp, [alive], port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(dial(dialTcp, [alive, refusing], port)).rejects.toMatchObject({
      errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }],
    });
  });
});

describe('an address that the name server was late for', () => {
  it('is tried at once when the others were unreachable', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const late = Promise.withResolvers<readonly string[]>();
    const { signal } = new AbortController();
    const dialTcp = createTcpDialer(clock, () => 0);
    const dialling = dialTcp({ addresses: [refusing], late: late.promise, port: portOf(server), signal });
    await expect.poll(() => clock.pending, patience).toBe(0);
    late.resolve([refusing, alive]);
    expect(await addressOf(dialling)).toBe(alive);
    expect(clock.pending).toBe(0);
  });

  it('is tried 250 ms behind one that does not answer', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const port = portOf(server);
    await using _silence = await startSilentListener(silent, port);
    const { signal } = new AbortController();
    const dialTcp = createTcpDialer(clock, () => 0);
    const dialling = addressOf(dialTcp({ addresses: [silent], late: Promise.resolve([alive]), port, signal }));
    await clock.advance(249);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await dialling).toBe(alive);
  });

  it('hides no failure of the others, if it never comes', async () => {
    const clock = new ManualClock();
    await using server = await startServer(alive);
    const controller = new AbortController();
    const dialTcp = createTcpDialer(clock, () => 0);
    const late = new Promise<never>(() => undefined);
    const dialling = dialTcp({ addresses: [refusing], late, port: portOf(server), signal: controller.signal });
    await expect.poll(() => clock.pending, patience).toBe(0);
    controller.abort(new Error('too late'));
    await expect(dialling).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

it('thirty new connections are spread over three addresses', async () => {
  await using server = await startServer();
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  let turn = 0;
  const dialTcp = createTcpDialer(new ManualClock(), () => (turn++ % 3) / 3);
  const counts = new Map<string | undefined, number>();
  for (let index = 0; index < 30; index += 1) {
    const address = await addressOf(dial(dialTcp, addresses, portOf(server)));
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({ '127.0.0.1': 10, '127.0.0.2': 10, '127.0.0.3': 10 });
});
