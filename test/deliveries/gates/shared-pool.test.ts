import { describe, expect, it } from 'vitest';
import { ignoredProgress } from '../../support/service/record-context.ts';
import { aWebhook, capacityOf, release, startGates, success, timeout } from './gates-under-test.ts';

describe('capacity that comes back', () => {
  it('goes to waiting endpoints although none of their own requests has ended', async () => {
    using test = startGates({ maxInFlight: 4, capacity: capacityOf(8) });
    const others = Array.from({ length: 6 }, (_, number) => test.acquire(`other-${number}`));
    expect(test.acquire('slow')).toMatchObject({ kind: 'permit' });
    const waiting = test.acquire('slow');
    expect(waiting).toBeInstanceOf(Promise);
    for (const entry of others) release(await entry, success);
    expect(await waiting).toMatchObject({ kind: 'permit' });
  });
});

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

describe('a burst for one endpoint', () => {
  it('delays another endpoint by one turn only, however many deliveries wait', async () => {
    using test = startGates({ capacity: capacityOf(16), maxWaiting: 20_000 });
    const inFlight = Array.from({ length: 16 }, () => test.acquire('busy'));
    for (let number = 0; number < 20_000; number += 1) void test.acquire('busy');
    const single = test.acquire('quiet');
    const [first, second] = inFlight;
    if (first !== undefined && second !== undefined) {
      release(await first, success);
      release(await second, success);
    }
    expect(await single).toMatchObject({ kind: 'permit' });
  });
});

describe('endpoints', () => {
  it('are forgotten once they are idle', async () => {
    using test = startGates();
    const webhooks = Array.from({ length: 1000 }, (_, number) => aWebhook(`endpoint-${number}`));
    for (const webhook of webhooks) release(test.gates.acquire(webhook, 'first', ignoredProgress), success);
    expect(test.gates.endpoints().closed).toBe(1000);
    await test.clock.advance(180_000);
    expect(test.gates.endpoints().closed).toBe(0);
  });
});
