import { afterEach, describe, expect, it, vi } from 'vitest';
import * as answers from '../support/endpoints/answers.ts';
import { ManualClock } from '../support/time/manual-clock.ts';
import { startEndpoint } from '../support/endpoints/endpoint.ts';
import { ClientUnderTest, delivered, identity, patience, startPair } from './client-under-test.ts';

describe('a connection', () => {
  it('serves one request after the other', async () => {
    await using client = await startPair({ answers: [200, 500, 204] });
    for (const _ of [1, 2, 3]) {
      await client.outcome();
      await client.idle(1);
    }
    expect(client.endpoint.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
    expect(client.opened).toEqual([false]);
    expect(client.client.state()).toEqual({ open: 1, idle: 1 });
  });

  it('is idle again before the outcome is known, when the response came in one piece', async () => {
    await using client = await startPair();
    const workers = Array.from({ length: 5 }, async () => {
      for (const _ of Array.from({ length: 20 })) await client.outcome();
    });
    await Promise.all(workers);
    expect(client.endpoint.requests).toHaveLength(100);
    expect(client.endpoint.connectionsOpened).toBe(5);
  });

  it('serves one request at a time, so that each request in flight has its own', async () => {
    using held = answers.held(answers.status(200));
    await using client = await startPair({ answers: [held.answer] });
    const outcomes = Array.from({ length: 20 }, () => client.outcome());
    await client.endpoint.received(20);
    held.release();
    await Promise.all(outcomes);
    expect(client.endpoint.connectionsOpened).toBe(20);
    expect(client.opened).toHaveLength(20);
  });

  it('is not kept when the endpoint announces that it closes it', async () => {
    await using client = await startPair({ answers: [answers.closing(200), 200] });
    await client.outcome();
    expect(await client.outcome()).toEqual(delivered);
    expect(client.endpoint.connectionsOpened).toBe(2);
  });

  it('is not shared between hosts, nor between ports', async () => {
    await using one = await startEndpoint({ identity });
    await using other = await startEndpoint({ identity });
    await using client = new ClientUnderTest();
    await client.outcome({ port: one.port, host: 'a.test' });
    await client.outcome({ port: one.port, host: 'b.test' });
    await client.outcome({ port: other.port, host: 'a.test' });
    await client.idle(3);
    expect(one.requests.map(({ tls }) => tls.serverName)).toEqual(['a.test', 'b.test']);
    expect(other.connectionsOpened).toBe(1);
  });

  it('is forgotten when the endpoint closes it', async () => {
    await using client = await startPair();
    await client.outcome();
    await client.idle(1);
    client.endpoint.closeConnections();
    await client.idle(0);
    expect(client.client.state()).toEqual({ open: 0, idle: 0 });
  });
});

describe('an idle connection', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['for 55 s', 'names no time', {}, 55_000],
    ['for two seconds less than that', 'names a time', { 'Keep-Alive': 'timeout=20' }, 18_000],
    ['for 55 s', 'names a longer time', { 'Keep-Alive': 'timeout=600' }, 55_000],
  ])('is kept %s when the endpoint %s', async (_howLong, _what, headers, ms) => {
    await using client = await startPair({ answers: [answers.status(200, { headers })] });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const idleMs of [ms - 1000, ms]) {
      await client.outcome();
      // undici begins to count a little later than the connection is free.
      await vi.waitUntil(() => client.client.state().idle === 1 && vi.getTimerCount() === 1, patience);
      vi.advanceTimersByTime(idleMs);
    }
    // The second request used the same connection, and there was no third request.
    expect(client.endpoint.connectionsOpened).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
    await client.open(0);
  });
});

describe('a reused connection that closes before any byte of a response', () => {
  it.each([
    ['with a close', answers.disconnect()],
    ['with a reset', answers.reset()],
  ])('%s is replaced by a new one within the attempt', async (_title, answer) => {
    await using client = await startPair({ answers: [200, answer, 202] });
    await client.outcome();
    await client.idle(1);
    expect(await client.outcome()).toEqual({ kind: 'delivered', status: 202 });
    expect(client.endpoint.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('is replaced once, by a new one and not by another idle one', async () => {
    const twoAtOnce = [answers.later(50, answers.status(200)), answers.later(50, answers.status(200))];
    await using client = await startPair({ answers: [...twoAtOnce, answers.disconnect()] });
    await Promise.all([client.outcome(), client.outcome()]);
    await client.idle(2);
    expect(await client.outcome()).toMatchObject({ kind: 'connection_lost' });
    expect(client.endpoint.connectionsOpened).toBe(3);
    expect(client.endpoint.requests).toHaveLength(4);
  });

  it('is replaced when it was closed right behind the last response', async () => {
    await using client = await startPair({ answers: [answers.closingUnannounced(200)] });
    for (const _ of [1, 2, 3, 4, 5]) {
      expect(await client.outcome()).toEqual(delivered);
    }
    expect(client.endpoint.requests).toHaveLength(5);
  });

  it('does not extend the deadline', async () => {
    const clock = new ManualClock();
    await using client = await startPair({ answers: [200, answers.hang()], clock, timeoutMs: 300 });
    await client.outcome();
    await client.idle(1);
    const { outcome } = client.send();
    await client.endpoint.received(2);
    await clock.advance(299);
    client.endpoint.closeConnections();
    await client.endpoint.received(3);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ kind: 'timeout' });
    expect(client.endpoint.connectionsOpened).toBe(2);
  });
});

describe('a request on a reused connection is repeated on a new one', () => {
  it.each([
    ['behind the body of a 204', [204, answers.bytes('{"received":true}'), 202]],
    ['behind a body that is longer than its length', [200, answers.bytes('}\r\n'), 202]],
    ['when the server closes it as idle, with 408', [200, answers.closing(408), 202]],
  ])('%s', async (_title, script) => {
    await using client = await startPair({ answers: script });
    await client.outcome();
    await client.idle(1);
    expect(await client.outcome()).toEqual({ kind: 'delivered', status: 202 });
    expect(client.endpoint.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });
});

describe('no second request is sent', () => {
  it.each([
    ['when a new connection closes', [answers.disconnect(), 200]],
    ['when a reused one closes within the head', [200, answers.resetInHead(), 200]],
    ['when a new one answers 408', [answers.closing(408), 200]],
    ['when a reused one answers 408, and stays open', [200, 408, 200]],
    ['when a new one answers garbage', [answers.bytes('garbage\r\n\r\n'), 200]],
    ['when a reused one answers with a broken head', [200, answers.bytes('HTTP/1.1 200 OK\r\nX\r\n\r\n'), 200]],
  ])('%s', async (_title, script) => {
    await using client = await startPair({ answers: script });
    for (const _ of script.slice(2)) {
      await client.outcome();
      await client.idle(1);
    }
    expect(['connection_lost', 'protocol_error', 'http_error']).toContain((await client.outcome()).kind);
    expect(client.endpoint.requests).toHaveLength(script.length - 1);
  });

  it('when an aborted request was on a reused connection', async () => {
    await using client = await startPair({ answers: [200, answers.hang()] });
    await client.outcome();
    await client.idle(1);
    const inFlight = client.send();
    await client.endpoint.received(2);
    inFlight.abort();
    expect(await inFlight.outcome).toEqual({ kind: 'draining' });
    await client.open(0);
    expect(client.endpoint.connectionsOpened).toBe(1);
  });
});

describe('when too many connections are idle', () => {
  it('the least recently used one is closed', async () => {
    await using client = await startPair({ maxIdleConnections: 2 });
    const post = async (host: string): Promise<number | undefined> => {
      await client.outcome({ host });
      await client.idle(Math.min(client.opened.length, 2));
      return client.endpoint.requests.at(-1)?.connection;
    };
    expect(await post('a.test')).toBe(1);
    expect(await post('b.test')).toBe(2);
    expect(await post('a.test')).toBe(1);
    expect(await post('c.test')).toBe(3);
    expect(await post('a.test')).toBe(1);
    expect(await post('b.test')).toBe(4);
    await expect.poll(() => client.endpoint.connectionsOpen, patience).toBe(2);
  });

  it('none is kept with a limit of 0', async () => {
    await using client = await startPair({ maxIdleConnections: 0 });
    expect(await client.outcome()).toEqual(delivered);
    expect(await client.outcome()).toEqual(delivered);
    await expect.poll(() => client.client.state(), patience).toEqual({ open: 0, idle: 0 });
    expect(client.endpoint.connectionsOpened).toBe(2);
  });

  it('endless bodies hold no more connections than may be idle', async () => {
    await using client = await startPair({ answers: [answers.drip({ everyMs: 10 })], maxIdleConnections: 3 });
    for (const _ of Array.from({ length: 10 })) {
      await client.outcome();
      expect(client.client.state().open).toBeLessThanOrEqual(4);
    }
    expect(client.endpoint.connectionsOpened).toBe(10);
  });
});

it('an endless body holds its connection for a second', async () => {
  const clock = new ManualClock();
  await using client = await startPair({ answers: [answers.drip({ everyMs: 10 })], clock });
  await client.outcome();
  await clock.advance(999);
  expect(client.client.state()).toEqual({ open: 1, idle: 0 });
  await clock.advance(1);
  await client.open(0);
  expect(clock.pending).toBe(0);
});
