import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Entry, Permit } from './support/test-run.ts';
import {
  aWebhook,
  capacityOf,
  failure,
  release,
  startGates,
  success,
  type GatesUnderTest,
} from './support/gates-under-test.ts';

describe('Gates', () => {
  it('sends no more requests to one endpoint than its limit, and the next one when one ends', async () => {
    using test = startGates({ maxInFlight: 2 });
    const [first] = await permits(test, ['a', 'a']);
    const third = test.acquire('a');
    expect(await isPending(third)).toBe(true);
    first?.release(success);
    expect(await third).toMatchObject({ kind: 'permit' });
  });

  it('lets no delivery overtake one that waits, although capacity has come back', async () => {
    using test = startGates({ maxInFlight: 4, maxWaitMs: 500, capacity: capacityOf(8) });
    const others = await permits(test, ['x', 'x', 'x', 'x', 'a', 'b']);
    void test.acquire('a');
    await test.clock.advance(100);
    const order: number[] = [];
    const note = async (number: number): Promise<void> => {
      const entry = await test.acquire('b');
      if (entry.kind === 'permit') order.push(number);
    };
    const waiting = [note(1)];
    others[0]?.release(success);
    // The delivery to the other endpoint has waited for too long.
    await test.clock.advance(400);
    others[1]?.release(success);
    waiting.push(note(2));
    for (const permit of others.slice(2)) permit.release(success);
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
  });

  it('keeps a pool for retries that first attempts can not take, and the other way round', async () => {
    using test = startGates({ capacity: capacityOf(2) });
    await permits(test, ['a', 'b']);
    expect(await isPending(test.acquire('c'))).toBe(true);
    expect(await test.acquire('c', { pool: 'retry' })).toMatchObject({ kind: 'permit' });
    expect(await isPending(test.acquire('d', { pool: 'retry' }))).toBe(true);
  });

  it('shrinks the limit in step with the free capacity, never below one', async () => {
    using test = startGates({ maxInFlight: 4, capacity: capacityOf(8) });
    const entered = { hanging: 0, other: 0 };
    for (const id of ['hanging', 'other'] as const) {
      while (!(await isPending(test.acquire(id)))) entered[id] += 1;
    }
    expect(entered).toEqual({ hanging: 4, other: 2 });
    expect(await test.acquire('last')).toMatchObject({ kind: 'permit' });
  });

  it('lets endpoints take turns, so that one delivery does not wait behind many of another endpoint', async () => {
    using test = startGates({ maxInFlight: 1, capacity: capacityOf(1) });
    const [inFlight] = await permits(test, ['busy']);
    const order: string[] = [];
    const queued = ['busy', 'busy', 'busy', 'quiet'].map(async (id) => {
      const entry = await test.acquire(id);
      order.push(id);
      release(entry, success);
    });
    inFlight?.release(success);
    await Promise.all(queued);
    expect(order.indexOf('quiet')).toBeLessThanOrEqual(1);
  });

  it('rejects retries that find the waiting room full, each with a free time of its own', async () => {
    using test = startGates({ maxInFlight: 1, maxWaiting: 2, maxWaitMs: 1000 });
    await permits(test, ['a']);
    void test.acquire('a');
    void test.acquire('a');
    const rejected = [await test.acquire('a', { pool: 'retry' }), await test.acquire('a', { pool: 'retry' })];
    const waits = rejected.map((entry) =>
      entry.kind === 'refused' && entry.outcome.kind === 'overloaded' ? entry.outcome.freeInMs : 0,
    );
    expect(waits).toEqual([1250, 1750]);
  });

  it('rejects a delivery that has waited for too long', async () => {
    using test = startGates({ maxInFlight: 1, maxWaitMs: 1000 });
    await permits(test, ['a']);
    const waiting = test.acquire('a');
    await test.clock.advance(999);
    expect(await isPending(waiting)).toBe(true);
    await test.clock.advance(1);
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'overloaded' } });
    expect(test.gates.pools()[0]).toMatchObject({ pool: 'first', inFlight: 1, waiting: 0 });
  });

  it('refuses at once while the circuit is open, and refuses waiting deliveries when it opens', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1, cooldownMs: 1000 });
    const [first] = await permits(test, ['a']);
    const waiting = test.acquire('a');
    first?.release(failure);
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
    expect(await test.acquire('a')).toMatchObject({ kind: 'refused', outcome: { kind: 'circuit_open' } });
    expect(await test.acquire('b')).toMatchObject({ kind: 'permit' });
  });

  it('empties a waiting room in batches of 32, one in a turn of the event loop', async () => {
    using test = startGates({ maxInFlight: 1, failures: 1, maxWaitMs: 60_000 });
    const [first] = await permits(test, ['a']);
    const waiting = Array.from({ length: 80 }, async () => test.acquire('a'));
    first?.release(failure);
    const left = [test.waiting()];
    const lookEachTurn = (): void => {
      left.push(test.waiting());
      if (left.length < 3) test.clock.after(0, lookEachTurn);
    };
    test.clock.after(0, lookEachTurn);
    await test.clock.advance(0);
    expect(left).toEqual([48, 16, 0]);
    const outcomes = (await Promise.all(waiting)).map((entry) => entry.kind === 'refused' && entry.outcome.kind);
    expect(new Set(outcomes)).toEqual(new Set(['circuit_open']));
  });

  it('gives permits to the remaining deliveries when a new configuration closes the circuit', async () => {
    using test = startGates({ maxInFlight: 4, failures: 1 });
    const inFlight = await permits(test, ['a', 'a', 'a', 'a']);
    const waiting = Array.from({ length: 34 }, () => test.acquire('a'));
    for (const permit of inFlight) permit.release(failure);
    void test.acquireFor(aWebhook('a'));
    await test.clock.advance(0);
    expect(await waiting[31]).toMatchObject({ kind: 'refused' });
    expect([await waiting[32], await waiting[33]]).toMatchObject([{ kind: 'permit' }, { kind: 'permit' }]);
  });

  it('probes with one delivery after the cooldown, and gives later ones a permit after it succeeds', async () => {
    using test = startGates({ maxInFlight: 4, failures: 1, cooldownMs: 1000 });
    test.send('a', [failure]);
    await test.clock.advance(1000);
    const probe = await test.acquire('a');
    const later = test.acquire('a');
    expect(await isPending(later)).toBe(true);
    release(probe, success);
    expect(await later).toMatchObject({ kind: 'permit' });
    expect(test.changes).toEqual(['closed > open', 'open > half_open', 'half_open > closed']);
  });

  it('emits once that a circuit has opened, however many requests were in flight', async () => {
    using test = startGates({ maxInFlight: 4, failures: 2 });
    const inFlight = await permits(test, ['a', 'a', 'a', 'a']);
    for (const permit of inFlight) permit.release(failure);
    expect(test.changes).toEqual(['closed > open']);
    expect(test.gates.endpoints()).toEqual({ closed: 0, open: 1, half_open: 0, failing: 1 });
  });

  it('does not count outcomes of the old configuration for the new one', async () => {
    using test = startGates({ maxInFlight: 4, failures: 2 });
    const old = await permits(test, ['a', 'a', 'a']);
    const fresh = await test.acquireFor(aWebhook('a'));
    for (const permit of old) permit.release(failure);
    expect(test.gates.endpoints()).toEqual({ closed: 1, open: 0, half_open: 0, failing: 0 });
    release(fresh, failure);
    expect([...test.gates.all()].map(({ circuit }) => circuit.failures)).toEqual([1]);
  });

  it('lets first attempts and retries for one endpoint take turns', async () => {
    using test = startGates({ maxInFlight: 1 });
    const [inFlight] = await permits(test, ['a']);
    const order: string[] = [];
    const queued = (['first', 'first', 'first', 'retry', 'retry', 'retry'] as const).map(async (pool) => {
      const entry = await test.acquire('a', { pool });
      order.push(pool);
      release(entry, success);
    });
    inFlight?.release(success);
    await Promise.all(queued);
    expect(order).toEqual(['retry', 'first', 'retry', 'first', 'retry', 'first']);
  });

  it('refuses waiting and new deliveries when a pool is drained, until it is opened again', async () => {
    using test = startGates({ maxInFlight: 1 });
    await permits(test, ['a']);
    const waiting = test.acquire('a');
    test.gates.drain('first');
    expect(await waiting).toMatchObject({ kind: 'refused', outcome: { kind: 'draining' } });
    expect(await test.acquire('b')).toMatchObject({ kind: 'refused', outcome: { kind: 'draining' } });
    expect(await test.acquire('b', { pool: 'retry' })).toMatchObject({ kind: 'permit' });
    test.gates.open('first');
    expect(await test.acquire('c')).toMatchObject({ kind: 'permit' });
  });

  it('drops idle gates, and keeps those of failing endpoints', async () => {
    using test = startGates({ maxInFlight: 4 });
    test.send('good', [success]);
    test.send('bad', [failure]);
    await test.clock.advance(180_000);
    expect(test.gates.endpoints()).toEqual({ closed: 1, open: 0, half_open: 0, failing: 1 });
    expect([...test.gates.all()].map(({ webhook }) => webhook.id)).toEqual(['bad']);
  });

  it.each([
    { what: 'a failing endpoint until the greatest age of a delivery', cooldownMs: 30_000, circuit: 'half_open' },
    { what: 'an endpoint for as long as its circuit is open', cooldownMs: 7_200_000, circuit: 'open' },
  ])('keeps the gate of $what', async ({ cooldownMs, circuit }) => {
    using test = startGates({ failures: 1, cooldownMs, maxAgeMs: 3_600_000 });
    test.send('bad', [failure]);
    await test.clock.advance(Math.max(cooldownMs, 3_600_000) - 60_000);
    expect(test.gates.endpoints()).toEqual({ closed: 0, open: 0, half_open: 0, failing: 1, [circuit]: 1 });
    await test.clock.advance(60_000);
    expect([...test.gates.all()]).toEqual([]);
  });
});

async function permits(test: GatesUnderTest, ids: readonly string[]): Promise<readonly Permit[]> {
  const entries = await Promise.all(ids.map(async (id) => test.acquire(id)));
  return entries.filter((entry) => entry.kind === 'permit');
}

/** Resolves to whether the entry is unknown after everything that needs no time and no I/O has run. */
async function isPending(entry: Entry | Promise<Entry>): Promise<boolean> {
  return (await Promise.race([entry, setImmediate('pending')])) === 'pending';
}
