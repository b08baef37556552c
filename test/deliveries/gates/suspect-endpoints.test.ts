import { describe, expect, it } from 'vitest';
import { capacityOf, release, refusal, entryNow, startGates, success, timeout } from './gates-under-test.ts';

describe('a hundred endpoints that hang at once', () => {
  const ids = Array.from({ length: 100 }, (_, number) => `hanging-${number}`);
  const times = Array.from({ length: 16 }, (_, index) => index);

  it.each([
    { name: 'in turn', order: () => times.flatMap(() => ids) },
    { name: 'one endpoint after the other', order: () => ids.flatMap((id) => times.map(() => id)) },
  ])('leave capacity to healthy endpoints, when their deliveries come $name', ({ order }) => {
    using test = startGates();
    for (const id of order()) void test.acquire(id);
    expect(test.inFlight()).toBeLessThanOrEqual(384 - 48);
    const entries = Array.from({ length: 48 }, (_, number) => test.acquire(`healthy-${number}`));
    expect(entries).toEqual(entries.map(() => expect.objectContaining({ kind: 'permit' })));
  });
});

describe('endpoints that are late or fail', () => {
  it('have a quarter of the capacity together, however many they are', async () => {
    using test = startGates();
    const ids = Array.from({ length: 50 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void test.acquire(id);
    await test.clock.advance(1000);
    for (let round = 0; round < 16; round += 1) for (const id of ids) void test.acquire(id);
    expect(test.inFlight()).toBeGreaterThan(75);
    expect(test.inFlight()).toBeLessThanOrEqual(96);
  });

  it('have it until they succeed, and leave the other capacity to healthy endpoints', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1000 });
    const ids = Array.from({ length: 300 }, (_, number) => `failing-${number}`);
    for (const id of ids) release(test.acquire(id), refusal);
    const inFlight = ids.map((id) => test.acquire(id));
    expect(test.inFlight()).toBe(96);
    expect(test.acquire('healthy')).toMatchObject({ kind: 'permit' });
    for (const entry of inFlight) release(await entryNow(entry), success);
    for (const id of ids) void test.acquire(id);
    expect(test.inFlight()).toBe(301);
  });

  it('have their full share when they are alone', async () => {
    using test = startGates();
    void test.acquire('slow');
    await test.clock.advance(1000);
    for (let number = 0; number < 100; number += 1) void test.acquire('slow');
    expect(test.inFlight()).toBe(16);
  });

  it.each([
    { ms: 999, inFlight: 38 },
    { ms: 1000, inFlight: 30 },
  ])(
    'have had a request in flight for a second: after $ms ms $inFlight requests are in flight',
    async ({ ms, inFlight }) => {
      using test = startGates({ maxInFlight: 2, capacity: capacityOf(100) });
      const ids = Array.from({ length: 30 }, (_, number) => `slow-${number}`);
      for (const id of ids) void test.acquire(id);
      await test.clock.advance(ms);
      for (const id of ids) void test.acquire(id);
      expect(test.inFlight()).toBe(inFlight);
    },
  );
});

describe('unresponsive endpoints', () => {
  it.each([
    { last: 'a timeout', outcomes: [timeout], inFlight: 24 },
    { last: 'a refusal and a timeout', outcomes: [refusal, timeout], inFlight: 24 },
    { last: 'a timeout and a refusal', outcomes: [timeout, refusal], inFlight: 96 },
    { last: 'a timeout and a success', outcomes: [timeout, success], inFlight: 300 },
  ])(
    'are recognized by their last outcome: after $last, 300 have $inFlight requests in flight',
    ({ outcomes, inFlight }) => {
      using test = startGates({ maxInFlight: 1 });
      const ids = Array.from({ length: 300 }, (_, number) => `endpoint-${number}`);
      for (const id of ids) test.send(id, outcomes);
      for (const id of ids) void test.acquire(id);
      expect(test.inFlight()).toBe(inFlight);
    },
  );

  it('have their full share when they are alone', () => {
    using test = startGates();
    test.send('hanging', [timeout]);
    for (let number = 0; number < 100; number += 1) void test.acquire('hanging');
    expect(test.inFlight()).toBe(16);
  });

  it('do not delay endpoints that fail with an answer, however many deliveries wait', async () => {
    using test = startGates({ maxInFlight: 1 });
    for (let number = 0; number < 100; number += 1) {
      test.send(`hanging-${number}`, [timeout]);
      void test.acquire(`hanging-${number}`);
    }
    const failing = Array.from({ length: 73 }, (_, number) => `failing-${number}`);
    for (const id of failing) test.send(id, [refusal]);
    const entries = failing.map((id) => test.acquire(id));
    expect(test.inFlight()).toBe(96);
    // Each waiting endpoint has had a turn by then, and found no capacity.
    test.send('healthy', [success]);
    release(await entries[0], refusal);
    expect(await entryNow(entries[72])).toMatchObject({ kind: 'permit' });
  });

  it('have only what endpoints that fail with an answer leave of the quarter', () => {
    using test = startGates({ maxInFlight: 1 });
    test.send('hanging', [timeout]);
    for (let number = 0; number < 96; number += 1) {
      test.send(`failing-${number}`, [refusal]);
      void test.acquire(`failing-${number}`);
    }
    expect(test.acquire('hanging')).toBeInstanceOf(Promise);
  });
});
