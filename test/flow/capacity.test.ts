import { describe, expect, it } from 'vitest';
import { capacityOf, release, startGates, success, timeout } from './support/gates-under-test.ts';

describe('the waiting rooms of healthy endpoints', () => {
  it('have their full size, however many deliveries wait for other endpoints', () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 8, capacity: capacityOf(384, { suspectWaiting: 1 }) });
    const ids = Array.from({ length: 200 }, (_, number) => `healthy-${number}`);
    const calls: string[] = [];
    for (let round = 0; round < 9; round += 1) for (const id of ids) void test.acquire(id, { calls });
    expect([test.inFlight(), test.waiting(), calls]).toEqual([200, 1600, []]);
    for (const id of ids) void test.acquire(id, { calls });
    expect(calls).toEqual(ids.map(() => 'outside the room'));
  });
});

describe('the waiting room of an endpoint that is being probed', () => {
  it('gives no free times, because the pace is unknown', async () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    release(await test.acquire('dead'), timeout);
    await test.clock.advance(1000);
    void test.acquire('dead');
    void test.acquire('dead');
    expect(test.acquire('dead')).toEqual({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });
});

describe('the pace of an endpoint', () => {
  it('is measured from the time when a delivery waits', async () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 1 });
    const first = test.acquire('slow');
    void test.acquire('slow');
    await test.clock.advance(100);
    release(await first, success);
    void test.acquire('slow');
    expect(test.betweenFreeTimes('slow')).toBeLessThan(400);
  });

  it('is not that of its probes', async () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    release(await test.acquire('slow'), timeout);
    await test.clock.advance(1000);
    const probe = test.acquire('slow');
    void test.acquire('slow');
    await test.clock.advance(14_000);
    release(await probe, success);
    void test.acquire('slow');
    expect(test.betweenFreeTimes('slow')).toBe(500);
  });
});
