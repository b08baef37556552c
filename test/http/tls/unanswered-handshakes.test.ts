import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AddressHistory } from '../../../src/http/address-history.ts';
import { closing } from '../../support/endpoints/answers.ts';
import { startEndpoint } from '../../support/endpoints/endpoint.ts';
import { passOn, startListener } from '../../support/endpoints/listeners.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { ClientUnderTest, delivered, identity, patience } from '../client-under-test.ts';

const timedOut = { kind: 'timeout', message: 'TLS was not established in time' };
const connectTimeoutMs = 5000;
const hourMs = 3_600_000;

/** The longest first message that fits into one packet. */
const longestPlainBytes = 1400;

interface Unanswered {
  readonly clock: ManualClock;
  readonly client: ClientUnderTest;
  readonly port: number;
  /** The handshakes that begin from here on have ended without an answer if the timeout ends them. */
  readonly silent: { count: number };
}

/** Sends a request, and lets the timeout end its handshake if that is silent. */
async function outcomeOf({ clock, client, port, silent }: Unanswered): Promise<unknown> {
  const before = silent.count;
  const sent = client.send({ port });
  const ended = await Promise.race([sent.outcome, vi.waitUntil(() => silent.count > before, patience)]);
  if (ended === true) await clock.advance(connectTimeoutMs);
  const outcome = await sent.outcome;
  await client.open(0);
  return outcome;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a handshake without an answer', () => {
  it('with a large first message that is dropped costs one attempt in an hour', async () => {
    const clock = new ManualClock();
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    const hellos: number[] = [];
    const silent = { count: 0 };
    await using middlebox = await startListener((socket) => {
      socket.once('data', (hello: Buffer) => {
        hellos.push(hello.length);
        if (hello.length > longestPlainBytes) silent.count += 1;
        else passOn(socket, endpoint.port, hello);
      });
    });
    await using client = new ClientUnderTest({ clock, connectTimeoutMs });
    const environment = { clock, client, port: middlebox.port, silent };
    expect(await outcomeOf(environment)).toEqual(timedOut);
    expect(await outcomeOf(environment)).toEqual(delivered);
    await clock.advance(hourMs - connectTimeoutMs - 1);
    expect(await outcomeOf(environment)).toEqual(delivered);
    await clock.advance(connectTimeoutMs + 1);
    expect(await outcomeOf(environment)).toEqual(timedOut);
    expect(await outcomeOf(environment)).toEqual(delivered);
    expect(hellos.map((bytes) => bytes > longestPlainBytes)).toEqual([true, false, false, true, false]);
    expect(client.unanswered).toEqual(['silence', 'silence']);
  });

  it('when an old session is offered costs one attempt in an hour', async () => {
    const clock = new ManualClock();
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    const silent = { count: 0 };
    await using listener = await startListener((socket) => {
      socket.once('data', (hello: Buffer) => {
        if (offersSession(hello)) silent.count += 1;
        else passOn(socket, endpoint.port, hello);
      });
    });
    await using client = new ClientUnderTest({ clock, connectTimeoutMs });
    const environment = { clock, client, port: listener.port, silent };
    const outcomes: unknown[] = [];
    for (let sent = 0; sent < 14; sent += 1) outcomes.push(await outcomeOf(environment));
    expect(outcomes).toEqual([delivered, timedOut, ...Array.from({ length: 12 }, () => delivered)]);
    expect(listener.connectionsOpened).toBe(14);
    expect(client.opened).not.toContain(true);
  });

  it('at one of two addresses costs one attempt in an hour, and every other attempt begins at the other one', async () => {
    // The first address of a name is tried first.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const clock = new ManualClock();
    await using endpoint = await startEndpoint({ identity, answers: [closing(200)] });
    const silent = { count: 0 };
    await using mute = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => (silent.count += 1));
    });
    await once(mute.listen(endpoint.port, '127.0.0.2'), 'listening');
    const resolve = (): Promise<readonly string[]> => Promise.resolve(['127.0.0.2', '127.0.0.1']);
    await using client = new ClientUnderTest({ clock, connectTimeoutMs, resolve });
    const environment = { clock, client, port: endpoint.port, silent };
    expect(await outcomeOf(environment)).toEqual(timedOut);
    for (const waitMs of [0, 60_000, hourMs - 60_000 - connectTimeoutMs - 1]) {
      await clock.advance(waitMs);
      expect(await outcomeOf(environment)).toEqual(delivered);
    }
    await clock.advance(connectTimeoutMs + 1);
    expect(await outcomeOf(environment)).toEqual(timedOut);
    expect(silent.count).toBe(2);
  });

  it('that was plain is the failure of the endpoint, and the next one is whole again', async () => {
    const clock = new ManualClock();
    const hellos: number[] = [];
    const silent = { count: 0 };
    await using listener = await startListener((socket) => {
      socket.once('data', (hello: Buffer) => {
        hellos.push(hello.length);
        silent.count += 1;
      });
    });
    await using client = new ClientUnderTest({ clock, connectTimeoutMs });
    for (let sent = 0; sent < 4; sent += 1) {
      expect(await outcomeOf({ clock, client, port: listener.port, silent })).toEqual(timedOut);
    }
    expect(hellos.map((bytes) => bytes > longestPlainBytes)).toEqual([true, false, true, false]);
  });

  it.each([
    ['is aborted by its caller', 4000, 'aborted'],
    ['had less than a second, because the lookup took the rest', 4500, 'timeout'],
  ])('says nothing about the endpoint if it %s', async (_title, lookupMs, end) => {
    const clock = new ManualClock();
    const lengths: number[] = [];
    const lookups = [lookupMs, 0];
    const resolve = async (): Promise<readonly string[]> => {
      const { promise, resolve: done } = Promise.withResolvers<undefined>();
      clock.after(lookups.shift() ?? 0, () => done(undefined));
      await promise;
      return ['127.0.0.1'];
    };
    await using listener = await startListener((socket) => socket.once('data', (hello) => lengths.push(hello.length)));
    await using client = new ClientUnderTest({ clock, connectTimeoutMs, resolve });
    for (const wait of [lookupMs, 0]) {
      const sent = client.send({ port: listener.port });
      const seen = lengths.length;
      await clock.advance(wait);
      await expect.poll(() => lengths.length, patience).toBe(seen + 1);
      if (end === 'aborted' || wait === 0) sent.abort();
      else await clock.advance(connectTimeoutMs - wait);
      await sent.outcome;
    }
    expect(lengths.map((bytes) => bytes > longestPlainBytes)).toEqual([true, true]);
    expect(client.unanswered).toEqual([]);
  });
});

/** Returns true for a first message with the extension `pre_shared_key` (RFC 8446, 4.2.11). */
function offersSession(hello: Buffer): boolean {
  // Behind the headers of record and message, version and random.
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  at += 2;
  for (; at + 4 <= hello.length; at += 4 + hello.readUInt16BE(at + 2)) if (hello.readUInt16BE(at) === 41) return true;
  return false;
}

describe('the notes about handshakes', () => {
  const address = '192.0.2.1';
  const authority = 'a.test:443';

  it('are for one endpoint at one address: another one there is tried as before', () => {
    const history = new AddressHistory(() => 0);
    history.noteUnanswered({ authority, address, wasPlain: false, end: 'silence' }, 0);
    expect(history.order([address, '192.0.2.2'], 443, 1, 'a.test')).toEqual(['192.0.2.2', address]);
    expect(history.order([address, '192.0.2.2'], 443, 1, 'b.test')).toEqual([address, '192.0.2.2']);
    expect([history.isPlain(authority, 1), history.isPlain('b.test:443', 1)]).toEqual([true, false]);
  });

  it.each([
    ['reset', 60_000],
    ['silence', hourMs],
  ] as const)('keep an address last after a %s for %d ms, or until a handshake there ends', (end, lastMs) => {
    const order = (history: AddressHistory, now: number): unknown =>
      history.order([address, '192.0.2.2'], 443, now, 'a.test')[0];
    const history = new AddressHistory(() => 0);
    history.noteUnanswered({ authority, address, wasPlain: false, end }, 0);
    expect([order(history, lastMs - 1), order(history, lastMs)]).toEqual(['192.0.2.2', address]);
    history.noteUnanswered({ authority, address, wasPlain: false, end }, 0);
    history.noteHandshake({ host: 'a.test', port: 443 }, address);
    expect(order(history, 0)).toBe(address);
    expect([history.isPlain(authority, hourMs - 1), history.isPlain(authority, hourMs)]).toEqual([true, false]);
  });
});
