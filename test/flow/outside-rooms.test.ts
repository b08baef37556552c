import type { GatesPolicy } from '../../src/flow/limits.ts';
import { describe, expect, it } from 'vitest';
import { capacityOf, entryNow, failure, release, startGates, success } from './support/gates-under-test.ts';

/** Starts with an endpoint that has one request in flight and a full waiting room of two places. */
function startFull(overrides: Partial<GatesPolicy> = {}) {
  const test = startGates({ maxInFlight: 1, maxWaiting: 2, ...overrides });
  return Object.assign(test, { request: test.acquire('a'), inside: [test.acquire('a'), test.acquire('a')] });
}

describe('a first attempt at a healthy endpoint whose waiting room is full', () => {
  it('waits outside, and enters when a place comes free', async () => {
    using test = startFull();
    const calls: string[] = [];
    const outside = test.acquire('a', { calls });
    expect(calls).toEqual(['outside the room']);
    release(test.request, success);
    expect(calls).toEqual(['outside the room', 'in the room']);
    for (const entry of test.inside) release(await entry, success);
    expect(await outside).toMatchObject({ kind: 'permit' });
    expect(calls).toEqual(['outside the room', 'in the room']);
  });

  it('gets its permit after all that came before it', async () => {
    using test = startFull();
    const order: number[] = [];
    const entries = [...test.inside, test.acquire('a'), test.acquire('a'), test.acquire('a')];
    const ended = entries.map(async (entry, number) => {
      release(await entry, success);
      order.push(number);
    });
    release(test.request, success);
    await Promise.all(ended);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  it('may get a permit from outside, when the room is full of retries', async () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 2, capacity: capacityOf(8, { retry: 8 }) });
    const request = test.acquire('a');
    const retries = [test.acquire('a', { pool: 'retry' }), test.acquire('a', { pool: 'retry' })];
    const calls: string[] = [];
    const outside = test.acquire('a', { calls });
    release(request, success);
    release(await retries[0], success);
    expect(await outside).toMatchObject({ kind: 'permit' });
    expect(calls).toEqual(['outside the room', 'in the room']);
    expect(await entryNow(retries[1])).toBeUndefined();
  });

  it('is refused as overloaded once the endpoint is late', async () => {
    using test = startFull();
    const calls: string[] = [];
    await test.clock.advance(500);
    const outside = test.acquire('a', { calls });
    await test.clock.advance(499);
    expect(await entryNow(outside)).toBeUndefined();
    await test.clock.advance(1);
    expect(await outside).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    expect(calls).toEqual(['outside the room', 'in the room', 'leaves the window']);
    expect(test.waiting()).toBe(2);
  });

  it('is refused as overloaded once a delivery inside has waited for a second, however new the requests are', async () => {
    using test = startFull();
    await test.clock.advance(600);
    const outside = [test.acquire('a'), test.acquire('a')];
    release(test.request, success);
    expect(await test.inside[0]).toMatchObject({ kind: 'permit' });
    await test.clock.advance(400);
    expect(test.health('a')).toBe('late');
    expect(await outside[1]).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    // The first of them has entered.
    expect(await entryNow(outside[0])).toBeUndefined();
  });

  it('is refused as overloaded once an attempt at the endpoint fails', async () => {
    using test = startFull();
    const outside = [test.acquire('a'), test.acquire('a')];
    release(test.request, failure);
    for (const entry of outside) expect(await entry).toMatchObject({ outcome: { kind: 'overloaded' } });
    expect([test.inFlight(), test.waiting()]).toEqual([1, 1]);
  });

  it('is refused at once when the endpoint is late already', async () => {
    using test = startFull();
    await test.clock.advance(1000);
    expect(test.acquire('a')).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
  });

  it('is not late while it waits for shared capacity', async () => {
    using test = startGates({ maxWaiting: 1, capacity: capacityOf(1) });
    const other = test.acquire('other');
    void test.acquire('a');
    const calls: string[] = [];
    const outside = test.acquire('a', { calls });
    await test.clock.advance(10_000);
    expect([await entryNow(outside), calls]).toEqual([undefined, ['outside the room']]);
    release(other, success);
    expect(calls).toEqual(['outside the room', 'in the room']);
  });

  it('waits no longer than one inside', async () => {
    using test = startGates({ maxWaiting: 1, maxWaitMs: 15_000, capacity: capacityOf(1) });
    void test.acquire('other');
    void test.acquire('a');
    const calls: string[] = [];
    await test.clock.advance(100);
    const outside = test.acquire('a', { calls });
    await test.clock.advance(15_000);
    expect(await outside).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    expect(test.waiting()).toBe(0);
  });

  it.each([
    { when: 'the pool is drained', kind: 'draining', failures: 1000 },
    { when: 'the circuit opens', kind: 'circuit_open', failures: 1 },
  ])('is refused as $kind when $when', async ({ kind, failures }) => {
    using test = startFull({ failures });
    const calls: string[] = [];
    const outside = [test.acquire('a', { calls }), test.acquire('a')];
    if (kind === 'draining') test.gates.drain('first');
    release(test.request, failure);
    const entries = await Promise.all([...test.inside, ...outside]);
    expect(entries).toEqual(entries.map(() => ({ kind: 'refused', outcome: { kind } })));
    expect(calls).toEqual(['outside the room', 'in the room', 'leaves the window']);
    expect(test.waiting()).toBe(0);
  });
});

describe('a retry', () => {
  it('is refused while first attempts wait outside', async () => {
    using test = startFull();
    void test.acquire('a');
    release(test.request, success);
    expect(test.acquire('a', { pool: 'retry' })).toMatchObject({ kind: 'refused' });
  });
});
