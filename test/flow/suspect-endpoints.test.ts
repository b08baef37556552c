import { describe, expect, it } from 'vitest';
import type { Permit } from './support/test-run.ts';
import { capacityOf, entryNow, failure, release, startGates, success, timeout } from './support/gates-under-test.ts';

const many = Array.from({ length: 300 }, (_, number) => `endpoint-${number}`);

describe('a hundred endpoints that hang at once', () => {
  const ids = Array.from({ length: 100 }, (_, number) => `hanging-${number}`);
  const times = Array.from({ length: 16 }, (_, index) => index);

  it.each([
    { name: 'in turn', order: () => times.flatMap(() => ids) },
    { name: 'one endpoint after the other', order: () => ids.flatMap((id) => times.map(() => id)) },
  ])('leave capacity to healthy endpoints, when their deliveries come $name', ({ order }) => {
    using test = startGates();
    for (const id of order()) void test.acquire(id);
    expect(test.inFlight()).toBeGreaterThan(200);
    expect(test.inFlight()).toBeLessThanOrEqual(384 - 56);
    const entries = Array.from({ length: 56 }, (_, number) => test.acquire(`healthy-${number}`));
    expect(entries).toEqual(entries.map(() => expect.objectContaining({ kind: 'permit' })));
  });
});

describe('an endpoint', () => {
  it.each([
    { last: 'a timeout', outcomes: [timeout], health: 'failing' },
    { last: 'an answer that refuses', outcomes: [failure], health: 'failing' },
    { last: 'a timeout and an answer that refuses', outcomes: [timeout, failure], health: 'failing' },
    { last: 'a timeout and a success', outcomes: [timeout, success], health: 'healthy' },
    { last: 'nothing', outcomes: [], health: 'healthy' },
  ])('is $health after $last', async ({ outcomes, health }) => {
    using test = startGates();
    test.send('a', outcomes);
    release(await test.acquire('a'), { kind: 'draining' });
    expect(test.health('a')).toBe(health);
  });

  it('is late while one of its requests has been out for a second', async () => {
    using test = startGates();
    const first = test.acquire('a');
    await test.clock.advance(999);
    const second = test.acquire('a');
    expect(test.health('a')).toBe('healthy');
    await test.clock.advance(1);
    expect(test.health('a')).toBe('late');
    release(first, success);
    expect(test.health('a')).toBe('healthy');
    release(second, success);
    expect(test.health('a')).toBe('healthy');
  });

  it('is late until the last of its late requests has ended', async () => {
    using test = startGates();
    const requests = [test.acquire('a'), test.acquire('a'), test.acquire('a')];
    await test.clock.advance(1000);
    for (const request of requests) {
      expect(test.health('a')).toBe('late');
      release(request, success);
    }
    expect(test.health('a')).toBe('healthy');
  });

  it('is late while a delivery has waited for its own limit for a second', async () => {
    using test = startGates({ maxInFlight: 1, maxWaitMs: 5000, lateAfterMs: 1000 });
    const requests = [test.acquire('a')];
    const [next, last] = [test.acquire('a'), test.acquire('a')];
    await test.clock.advance(600);
    release(requests[0], success);
    requests.push(await next);
    await test.clock.advance(400);
    expect(test.health('a')).toBe('late');
    release(requests[1], success);
    release(await last, success);
    expect(test.health('a')).toBe('healthy');
  });

  it('is late while a delivery has waited for the limit of a recovering circuit for a second', async () => {
    using test = startGates({ maxInFlight: 4, failures: 1, cooldownMs: 1000 });
    test.send('a', [failure]);
    await test.clock.advance(1000);
    test.send('a', [success]);
    const request = test.acquire('a');
    for (let number = 0; number < 3; number += 1) void test.acquire('a');
    await test.clock.advance(600);
    release(request, success);
    expect([test.inFlight(), test.waiting(), test.health('a')]).toEqual([2, 1, 'healthy']);
    await test.clock.advance(400);
    expect(test.health('a')).toBe('late');
  });

  it('is not late although its deliveries wait for shared capacity', async () => {
    using test = startGates({ capacity: capacityOf(1) });
    const calls: string[] = [];
    void test.acquire('hanging');
    const waiting = test.acquire('a', { calls });
    await test.clock.advance(10_000);
    expect([test.health('hanging'), test.health('a')]).toEqual(['late', 'healthy']);
    expect([await entryNow(waiting), calls]).toEqual([undefined, []]);
  });
});

describe('endpoints that are late or fail', () => {
  it('have a quarter of the capacity together, however many they are', async () => {
    using test = startGates();
    const ids = many.slice(0, 50);
    for (const id of ids) void test.acquire(id);
    await test.clock.advance(1000);
    for (let round = 0; round < 16; round += 1) for (const id of ids) void test.acquire(id);
    expect(test.inFlight()).toBeGreaterThan(75);
    expect(test.inFlight()).toBeLessThanOrEqual(96);
  });

  it('have it until they succeed, and leave the other capacity to healthy endpoints', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1000 });
    for (const id of many) release(test.acquire(id), failure);
    const inFlight = many.map((id) => test.acquire(id));
    expect(test.inFlight()).toBe(96);
    expect(test.acquire('healthy')).toMatchObject({ kind: 'permit' });
    for (const entry of inFlight) release(await entryNow(entry), success);
    for (const id of many) void test.acquire(id);
    expect(test.inFlight()).toBe(301);
  });

  it.each([
    { last: 'a timeout', outcomes: [timeout], inFlight: 96 },
    { last: 'an answer that refuses', outcomes: [failure], inFlight: 96 },
    { last: 'a success after it', outcomes: [timeout, success], inFlight: 300 },
  ])('are one class: after $last, 300 of them have $inFlight requests in flight', ({ outcomes, inFlight }) => {
    using test = startGates({ maxInFlight: 1 });
    for (const id of many) test.send(id, outcomes);
    for (const id of many) void test.acquire(id);
    expect(test.inFlight()).toBe(inFlight);
  });

  it('get no more requests until the circuit opens than one endpoint may have in flight, if they fail late', async () => {
    using test = startGates();
    const permits: Permit[] = [];
    for (let number = 0; number < 100; number += 1) {
      const entry = test.acquire('failing');
      void Promise.resolve(entry).then((one) => one.kind === 'permit' && permits.push(one));
    }
    await test.clock.advance(0);
    for (let failed = 0; test.changes.length === 0; failed += 1) {
      permits[failed]?.release(failure);
      await test.clock.advance(0);
    }
    expect(permits).toHaveLength(16);
  });

  it('have their full share when they are alone, in both pools', async () => {
    using test = startGates({ capacity: capacityOf(384, { retry: 128 }), failures: 100 });
    void test.acquire('slow');
    test.send('failing', [timeout]);
    await test.clock.advance(1000);
    for (const pool of ['first', 'retry'] as const) {
      for (let number = 0; number < 100; number += 1)
        void test.acquire(pool === 'first' ? 'slow' : 'failing', { pool });
    }
    expect(test.gates.pools().map(({ inFlight }) => inFlight)).toEqual([16, 16]);
  });

  it.each([
    { ms: 999, inFlight: 58 },
    { ms: 1000, inFlight: 30 },
  ])('have had a request out for a second: after $ms ms $inFlight requests are in flight', async ({ ms, inFlight }) => {
    using test = startGates({ maxInFlight: 4, capacity: capacityOf(100) });
    const ids = many.slice(0, 30);
    for (const id of ids) void test.acquire(id);
    await test.clock.advance(ms);
    for (const id of ids) void test.acquire(id);
    expect(test.inFlight()).toBe(inFlight);
  });

  it('get the capacity that another of them gives back, and none that a healthy endpoint gives back', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1000 });
    const ids = many.slice(0, 98);
    for (const id of ids) test.send(id, [failure]);
    const entries = ids.map((id) => test.acquire(id));
    expect(test.inFlight()).toBe(96);
    test.send('healthy', [success]);
    expect(await entryNow(entries[96])).toBeUndefined();
    release(entries[0], failure);
    expect(await entryNow(entries[96])).toMatchObject({ kind: 'permit' });
    expect(await entryNow(entries[97])).toBeUndefined();
    release(await entryNow(entries[96]), failure);
    expect(await entryNow(entries[97])).toMatchObject({ kind: 'permit' });
  });

  it('share a quarter of the waiting places, so that one more of them finds some', () => {
    using test = startGates({ maxInFlight: 1, capacity: capacityOf(384, { suspectWaiting: 16 }) });
    const waitingFor = (id: string): number => {
      test.send(id, [failure]);
      void test.acquire(id);
      const before = test.waiting();
      while (test.acquire(id) instanceof Promise);
      return test.waiting() - before;
    };
    expect(['a', 'b', 'c'].map(waitingFor)).toEqual([8, 4, 2]);
    expect(test.acquire('a')).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    // Deliveries to healthy endpoints wait in rooms of their own.
    expect(test.acquire('healthy')).toMatchObject({ kind: 'permit' });
    expect(Array.from({ length: 20 }, () => test.acquire('healthy')).every((entry) => entry instanceof Promise)).toBe(
      true,
    );
  });

  it('give waiting places back as their deliveries are sent or given up', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1000, capacity: capacityOf(384, { suspectWaiting: 4 }) });
    test.send('a', [failure]);
    for (let round = 0; round < 20; round += 1) {
      const request = test.acquire('a');
      const waiting = [test.acquire('a'), test.acquire('a')];
      expect(test.acquire('a')).toMatchObject({ kind: 'refused' });
      if (round % 2 === 1) test.gates.drain('first');
      release(request, failure);
      for (const entry of waiting) release(await entry, failure);
      test.gates.open('first');
    }
    expect([test.inFlight(), test.waiting()]).toEqual([0, 0]);
  });
});

describe('a delivery', () => {
  it('to an endpoint that fails leaves the window at once, sent or not', () => {
    using test = startGates({ maxInFlight: 1 });
    const calls: string[] = [];
    test.send('a', [failure]);
    expect(test.acquire('a', { calls })).toMatchObject({ kind: 'permit' });
    expect(calls).toEqual(['leaves the window']);
    expect(test.acquire('a', { calls })).toBeInstanceOf(Promise);
    expect(calls).toEqual(['leaves the window', 'leaves the window']);
  });

  it('that waits for a healthy endpoint leaves the window once that fails, after a second at the latest', async () => {
    using test = startGates({ maxInFlight: 2, failures: 1000 });
    const calls: string[] = [];
    const [one] = [test.acquire('a'), test.acquire('a')];
    const waiting = [test.acquire('a'), test.acquire('a', { calls })];
    release(one, failure);
    release(await waiting[0], failure);
    await test.clock.advance(1000);
    expect(calls).toEqual(['leaves the window']);
  });
});

describe('a suspect endpoint whose delivery waits for the quarter of all suspect endpoints', () => {
  it('gets what is free, although another one that waited has recovered before', async () => {
    using test = startGates({ failures: 1000, capacity: capacityOf(4) });
    test.send('d', [failure]);
    const [x, y, b] = ['x', 'y', 'b'].map((id) => test.acquire(id));
    await test.clock.advance(1000);
    const waiting = test.acquire('d');
    const second = test.acquire('b');
    release(x, success);
    release(y, success);
    // Its endpoint was held back before the other one, and is healthy now.
    release(b, success);
    release(await second, success);
    expect(test.inFlight()).toBe(1);
    expect(await entryNow(waiting)).toMatchObject({ kind: 'permit' });
  });

  it('gets what is free, although another one that waited is at its own limit', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1000, capacity: capacityOf(8, { retry: 4 }) });
    for (const id of ['x', 'a', 'd']) test.send(id, [failure]);
    const x = test.acquire('x', { pool: 'retry' });
    const before = test.acquire('a', { pool: 'retry' });
    const waiting = test.acquire('d', { pool: 'retry' });
    // Takes the only request of the endpoint, in the other pool.
    void test.acquire('a');
    // Both have had a turn now, and found the part of suspect endpoints used up.
    release(test.acquire('healthy', { pool: 'retry' }), success);
    release(x, success);
    expect(await entryNow(waiting)).toMatchObject({ kind: 'permit' });
    expect(await entryNow(before)).toBeUndefined();
  });
});
