import { describe, expect, it } from 'vitest';
import { bytesPer } from '../../support/resources/memory.ts';
import { aWebhook, capacityOf, leave, startCrowd, success, timeout } from './gates-under-test.ts';

describe('capacity that comes back', () => {
  it('goes to endpoints that wait for it although none of their own requests has returned', async () => {
    using crowd = startCrowd({ maxInFlight: 4, capacity: capacityOf(8) });
    const others = Array.from({ length: 6 }, (_, number) => crowd.enter(`other-${number}`));
    expect(crowd.enter('slow')).toMatchObject({ kind: 'permit' });
    const waiting = crowd.enter('slow');
    expect(waiting).toBeInstanceOf(Promise);
    for (const entry of others) leave(await entry, success);
    expect(await waiting).toMatchObject({ kind: 'permit' });
  });
});

describe('waiting rooms', () => {
  it('shrink as all of them together fill, so that one more endpoint finds room', () => {
    using crowd = startCrowd({ maxInFlight: 1, capacity: capacityOf(400, 3750) });
    for (let round = 0; round < 300; round += 1) {
      for (let number = 0; number < 200; number += 1) void crowd.enter(`hanging-${number}`);
    }
    expect(crowd.waiting()).toBeGreaterThan(3000);
    expect(crowd.waiting()).toBeLessThan(3750);
    expect(crowd.enter('late')).toMatchObject({ kind: 'permit' });
    expect(crowd.enter('late')).toBeInstanceOf(Promise);
  });

  it('of endpoints that are late hold three quarters of what all may, so that those that answer find room', async () => {
    using crowd = startCrowd({ maxInFlight: 1, capacity: capacityOf(400, 4000) });
    const ids = Array.from({ length: 200 }, (_, number) => `hanging-${number}`);
    for (const id of ids) void crowd.enter(id);
    await crowd.clock.advance(1000);
    for (let round = 0; round < 300; round += 1) {
      for (const id of ids) void crowd.enter(id);
      await crowd.clock.advance(20);
    }
    expect(crowd.waiting()).toBeGreaterThan(2900);
    expect(crowd.waiting()).toBeLessThanOrEqual(3000);
    for (let number = 0; number < 200; number += 1) {
      expect(crowd.enter(`well-${number}`)).toMatchObject({ kind: 'permit' });
      expect(crowd.enter(`well-${number}`)).toBeInstanceOf(Promise);
    }
  });

  it('of endpoints that are late have their part also where those that answer fill more than theirs', async () => {
    using crowd = startCrowd({ maxInFlight: 1, capacity: capacityOf(400, 400) });
    void crowd.enter('late');
    await crowd.clock.advance(1000);
    for (let number = 0; number < 399; number += 1) {
      void crowd.enter(`well-${number}`);
      void crowd.enter(`well-${number}`);
    }
    expect(crowd.waiting()).toBe(399);
    expect(crowd.enter('late')).toBeInstanceOf(Promise);
    // Its part is not used up, and all rooms together are full.
    expect(crowd.enter('late')).toMatchObject({ kind: 'refused' });
  });

  it('have their full size while there is enough for all', () => {
    using crowd = startCrowd({ capacity: capacityOf(400, 5000) });
    for (let number = 0; number < 20 * 200; number += 1) void crowd.enter(`busy-${number % 20}`);
    expect(crowd.inFlight() + crowd.waiting()).toBe(4000);
    for (let number = 0; number < 1000; number += 1) void crowd.enter('one more');
    expect(crowd.waiting()).toBeLessThan(5000);
  });

  it('hold less for as long as they are told to', () => {
    using crowd = startCrowd({ capacity: capacityOf(400, 1000) });
    crowd.gates.shrinkRoomsTo(0.125);
    for (let number = 0; number < 1000; number += 1) void crowd.enter('busy');
    expect(crowd.waiting()).toBe(63);
    crowd.gates.shrinkRoomsTo(1);
    for (let number = 0; number < 1000; number += 1) void crowd.enter('busy');
    expect(crowd.waiting()).toBe(256);
  });

  it('of endpoints that answer are looked at every 20 ms, for how many wait in them: what comes meanwhile counts', async () => {
    using crowd = startCrowd({ maxInFlight: 1 });
    const waitingForHealthy = (): number => crowd.gates.waitingForHealthy('first');
    for (const id of ['late', 'late', 'late']) void crowd.enter(id);
    expect(waitingForHealthy()).toBe(2);
    await crowd.clock.advance(1000);
    for (const id of ['well', 'well']) void crowd.enter(id);
    expect(crowd.waiting()).toBe(3);
    expect(waitingForHealthy()).toBe(1);
    void crowd.enter('well');
    void crowd.enter('late');
    await crowd.clock.advance(19);
    expect(waitingForHealthy()).toBe(3);
    await crowd.clock.advance(1);
    expect(waitingForHealthy()).toBe(2);
    expect(crowd.gates.waitingForHealthy('retry')).toBe(0);
  });

  it('of an endpoint that is being probed give no slots: nobody knows its pace', async () => {
    using crowd = startCrowd({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    leave(await crowd.enter('dead'), timeout);
    await crowd.clock.advance(1000);
    void crowd.enter('dead');
    void crowd.enter('dead');
    expect(crowd.enter('dead')).toEqual({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });
});

describe('the pace of an endpoint', () => {
  it('is measured from the moment that somebody waits', async () => {
    using crowd = startCrowd({ maxInFlight: 1, maxWaiting: 1 });
    const first = crowd.enter('slow');
    void crowd.enter('slow');
    await crowd.clock.advance(100);
    leave(await first, success);
    void crowd.enter('slow');
    expect(crowd.betweenSlots('slow')).toBeLessThan(400);
  });

  it('is not that of its probes', async () => {
    using crowd = startCrowd({ maxInFlight: 1, maxWaiting: 1, failures: 1, cooldownMs: 1000 });
    leave(await crowd.enter('slow'), timeout);
    await crowd.clock.advance(1000);
    const probe = crowd.enter('slow');
    void crowd.enter('slow');
    await crowd.clock.advance(14_000);
    leave(await probe, success);
    void crowd.enter('slow');
    expect(crowd.betweenSlots('slow')).toBe(500);
  });
});

describe('a burst for one endpoint', () => {
  it('makes another one wait for no more than a turn, however many wait', async () => {
    using crowd = startCrowd({ capacity: capacityOf(16, 40_000), maxWaiting: 20_000 });
    const out = Array.from({ length: 16 }, () => crowd.enter('busy'));
    for (let number = 0; number < 20_000; number += 1) void crowd.enter('busy');
    const single = crowd.enter('quiet');
    const [first, second] = out;
    if (first !== undefined && second !== undefined) {
      leave(await first, success);
      leave(await second, success);
    }
    expect(await single).toMatchObject({ kind: 'permit' });
  });
});

describe('a hundred thousand endpoints', () => {
  it('take less than a kilobyte each, and nothing once they are idle', { timeout: 60_000 }, async () => {
    using crowd = startCrowd();
    const webhooks = Array.from({ length: 100_000 }, (_, number) => aWebhook(`endpoint-${number}`));
    const bytes = await bytesPer(webhooks.length, () => {
      for (const webhook of webhooks) leave(crowd.gates.acquire(webhook, 'first'), success);
    });
    expect(bytes).toBeLessThan(1024);
    expect(crowd.gates.endpoints().closed).toBe(100_000);
    await crowd.clock.advance(180_000);
    expect(crowd.gates.endpoints().closed).toBe(0);
  });
});
