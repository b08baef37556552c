import { describe, expect, it } from 'vitest';
import { bytesPer } from '../../support/resources/memory.ts';
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

describe('waiting rooms', () => {
  it('shrink as all of them together fill, so that one more endpoint finds room', () => {
    using test = startGates({ maxInFlight: 1, capacity: capacityOf(400, 3750) });
    for (let round = 0; round < 300; round += 1) {
      for (let number = 0; number < 200; number += 1) void test.acquire(`hanging-${number}`);
    }
    expect(test.waiting()).toBeGreaterThan(3000);
    expect(test.waiting()).toBeLessThan(3750);
    expect(test.acquire('late')).toMatchObject({ kind: 'permit' });
    expect(test.acquire('late')).toBeInstanceOf(Promise);
  });

  it('of late endpoints have three quarters of all places, so that healthy endpoints find one', async () => {
    using test = startGates({ maxInFlight: 1, capacity: capacityOf(400, 4000) });
    const ids = Array.from({ length: 200 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void test.acquire(id);
    await test.clock.advance(1000);
    for (let round = 0; round < 300; round += 1) {
      for (const id of ids) void test.acquire(id);
      await test.clock.advance(20);
    }
    expect(test.waiting()).toBeGreaterThan(2900);
    expect(test.waiting()).toBeLessThanOrEqual(3000);
    for (let number = 0; number < 200; number += 1) {
      expect(test.acquire(`healthy-${number}`)).toMatchObject({ kind: 'permit' });
      expect(test.acquire(`healthy-${number}`)).toBeInstanceOf(Promise);
    }
  });

  it('of late endpoints have their part although healthy endpoints fill more than a quarter', async () => {
    using test = startGates({ maxInFlight: 1, capacity: capacityOf(400, 400) });
    void test.acquire('late');
    await test.clock.advance(1000);
    for (let number = 0; number < 399; number += 1) {
      void test.acquire(`healthy-${number}`);
      void test.acquire(`healthy-${number}`);
    }
    expect(test.waiting()).toBe(399);
    expect(test.acquire('late')).toBeInstanceOf(Promise);
    // The part of late endpoints is not used up, but all rooms together are full.
    expect(test.acquire('late')).toMatchObject({ kind: 'refused' });
  });

  it('have their full size while there are enough places for all', () => {
    using test = startGates({ capacity: capacityOf(400, 5000) });
    for (let number = 0; number < 20 * 200; number += 1) void test.acquire(`busy-${number % 20}`);
    expect(test.inFlight() + test.waiting()).toBe(4000);
    for (let number = 0; number < 1000; number += 1) void test.acquire('one more');
    expect(test.waiting()).toBeLessThan(5000);
  });

  it('are smaller for as long as they are shrunk', () => {
    using test = startGates({ capacity: capacityOf(400, 1000) });
    test.gates.shrinkRoomsTo(0.125);
    for (let number = 0; number < 1000; number += 1) void test.acquire('busy');
    expect(test.waiting()).toBe(63);
    test.gates.shrinkRoomsTo(1);
    for (let number = 0; number < 1000; number += 1) void test.acquire('busy');
    expect(test.waiting()).toBe(256);
  });

  it('of healthy endpoints are counted every 20 ms, and newer deliveries count as theirs', async () => {
    using test = startGates({ maxInFlight: 1 });
    const waitingForHealthy = (): number => test.gates.waitingForHealthy('first');
    for (const id of ['late', 'late', 'late']) void test.acquire(id);
    expect(waitingForHealthy()).toBe(2);
    await test.clock.advance(1000);
    for (const id of ['healthy', 'healthy']) void test.acquire(id);
    expect(test.waiting()).toBe(3);
    expect(waitingForHealthy()).toBe(1);
    void test.acquire('healthy');
    void test.acquire('late');
    await test.clock.advance(19);
    expect(waitingForHealthy()).toBe(3);
    await test.clock.advance(1);
    expect(waitingForHealthy()).toBe(2);
    expect(test.gates.waitingForHealthy('retry')).toBe(0);
  });

  it('of an endpoint that is being probed give no free times, because its pace is unknown', async () => {
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
    using test = startGates({ capacity: capacityOf(16, 40_000), maxWaiting: 20_000 });
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

describe('a hundred thousand endpoints', () => {
  it('take less than a kilobyte each, and nothing once they are idle', { timeout: 60_000 }, async () => {
    using test = startGates();
    const webhooks = Array.from({ length: 100_000 }, (_, number) => aWebhook(`endpoint-${number}`));
    const bytes = await bytesPer(webhooks.length, () => {
      for (const webhook of webhooks) release(test.gates.acquire(webhook, 'first'), success);
    });
    expect(bytes).toBeLessThan(1024);
    expect(test.gates.endpoints().closed).toBe(100_000);
    await test.clock.advance(180_000);
    expect(test.gates.endpoints().closed).toBe(0);
  });
});
