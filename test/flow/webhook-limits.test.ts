import { describe, expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import type { Entry } from './support/test-run.ts';
import {
  capacityOf,
  entryNow,
  failure,
  release,
  startGates,
  success,
  type GatesUnderTest,
} from './support/gates-under-test.ts';

const seconds = 1000;

/** Lets deliveries to `a` begin to wait. Each is sent as soon as it may be, and answered at once. */
function queue(test: GatesUnderTest, count: number, pool: Pool = 'first') {
  const startedAt: number[] = [];
  const pools: Pool[] = [];
  const refused: (Entry & { readonly kind: 'refused' })[] = [];
  const end = (entry: Entry): void => {
    if (entry.kind === 'refused') return void refused.push(entry);
    startedAt.push(test.clock.monotonic());
    pools.push(pool);
    release(entry, success);
  };
  for (let index = 0; index < count; index += 1) {
    const entry = test.acquire('a', { pool });
    if ('kind' in entry) end(entry);
    else void entry.then(end);
  }
  return { startedAt, pools, refused };
}

describe('a webhook with limits', () => {
  it.each([
    { limits: { perMinute: 6 }, pool: 'first', reports: ['leaves the window'] },
    { limits: { inFlight: 1 }, pool: 'first', reports: ['leaves the window'] },
    { limits: { perMinute: 6 }, pool: 'retry', reports: ['leaves the window'] },
    { limits: { inFlight: 1 }, pool: 'retry', reports: [] },
  ] as const)(
    'reports $reports after a second in which $limits holds up a delivery of the pool $pool',
    async ({ limits, pool, reports }) => {
      using test = startGates({ maxWaitMs: 60 * seconds });
      test.limit('a', limits);
      const calls: string[] = [];
      void test.acquire('a', { pool });
      void test.acquire('a', { pool, calls });
      await test.clock.advance(2 * seconds);
      expect(calls).toEqual(reports);
    },
  );

  it('gets perMinute requests a minute, spread over it, while deliveries wait', async () => {
    using test = startGates({ maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 30 });
    const { startedAt } = queue(test, 100);
    await test.clock.advance(180 * seconds);
    expect(startedAt.length).toBe(89);
    const gaps = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2 * seconds);
    expect(Math.max(...gaps)).toBeLessThan(2.01 * seconds);
  });

  it('spreads the deliveries that can not wait by its own pace', async () => {
    using test = startGates({ maxWaiting: 4, maxWaitMs: 15 * seconds });
    test.limit('a', { perMinute: 60 });
    queue(test, 4, 'retry');
    const { refused } = queue(test, 5, 'retry');
    const times = refused.map(({ outcome }) => (outcome.kind === 'overloaded' ? outcome.freeInMs : Number.NaN));
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(times[0]).toBeGreaterThanOrEqual(4 * seconds);
    for (const gap of gaps) expect(gap).toBeCloseTo(1001.7, -1);
    await test.clock.advance(0);
  });

  it('costs other webhooks nothing', async () => {
    using test = startGates();
    test.limit('a', { perMinute: 1 });
    queue(test, 200);
    await test.clock.advance(30 * seconds);
    expect(test.acquire('b')).toMatchObject({ kind: 'permit' });
  });

  it('is paced while more of its deliveries wait than it takes in a second, so that none waits outside its room', async () => {
    using test = startGates({ maxWaiting: 4 });
    test.limit('a', { perMinute: 6 });
    const { refused } = queue(test, 20);
    await test.clock.advance(2 * seconds);
    expect(test.health('a')).toBe('paced');
    // One request in ten seconds: no second delivery could be sent within the longest wait.
    expect(refused).toHaveLength(19);
    expect(test.waiting()).toBe(1);
  });

  it('gets requests at its pace while hanging endpoints use up the capacity of suspect ones', async () => {
    using test = startGates({ capacity: capacityOf(8, { suspectWaiting: 40 }), maxWaitMs: 600 * seconds });
    for (const id of ['b', 'c', 'd']) void test.acquire(id);
    await test.clock.advance(2 * seconds);
    const hanging = Array.from({ length: 22 }, () => test.acquire('b'));
    expect(hanging.at(-1)).toMatchObject({ kind: 'refused' });
    test.limit('a', { perMinute: 60 });
    const { startedAt } = queue(test, 20);
    await test.clock.advance(15 * seconds);
    expect([test.health('a'), startedAt.length]).toEqual(['paced', 16]);
  });

  it('leaves the places of suspect endpoints to them, and its own places are limited', async () => {
    using test = startGates({
      maxInFlight: 1,
      capacity: capacityOf(8, { suspectWaiting: 6 }),
      maxWaitMs: 600 * seconds,
    });
    test.limit('a', { perMinute: 1 });
    queue(test, 2);
    void test.acquire('b');
    await test.clock.advance(2 * seconds);
    const { refused } = queue(test, 5);
    expect([test.health('a'), refused.length]).toEqual(['paced', 4]);
    const waiting = [1, 2, 3, 4].map(() => test.acquire('b'));
    expect(waiting.map((entry) => 'kind' in entry)).toEqual([false, false, false, true]);
  });

  it('is late once its endpoint hangs, whatever it waits for', async () => {
    using test = startGates({ maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 60 });
    await test.clock.advance(2 * seconds);
    expect(test.acquire('a')).toMatchObject({ kind: 'permit' });
    void test.acquire('a');
    await test.clock.advance(1001);
    expect(test.health('a')).toBe('late');
  });

  it('is late when its endpoint answers more slowly than it may be asked', async () => {
    using test = startGates({ maxInFlight: 1, maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 6000 });
    await test.clock.advance(2 * seconds);
    const entries = [1, 2, 3].map(() => test.acquire('a'));
    await test.clock.advance(600);
    release(entries[0], success);
    await test.clock.advance(500);
    expect(test.health('a')).toBe('late');
  });

  it.each([
    { name: 'paced', perMinute: 6 },
    { name: 'healthy', perMinute: 180 },
  ])(
    'sends those that are back at their free time before new ones, which yield their places, when $name',
    async (one) => {
      using test = startGates({ maxWaiting: 2, maxWaitMs: 60 * seconds });
      test.limit('a', { perMinute: one.perMinute });
      await test.clock.advance(60 * seconds);
      const { startedAt, refused } = queue(test, 3);
      await test.clock.advance(0);
      expect([startedAt.length, refused.length, test.health('a')]).toEqual([1, 0, one.name]);
      const order: number[] = [];
      for (const backSince of [3, 1, 2]) {
        void Promise.resolve(test.acquire('a', { pool: 'retry', backSince })).then((entry) => {
          if (entry.kind === 'permit') order.push(backSince);
          release(entry, success);
        });
      }
      await test.clock.advance(25 * seconds);
      // The two new ones yielded, and then the one that was planned last.
      expect([order, startedAt.length, refused.length]).toEqual([[1, 2], 1, 2]);
      expect(refused.map(({ outcome }) => outcome.kind)).toEqual(['overloaded', 'overloaded']);
    },
  );

  it('is probed no sooner than its pace allows, and gets its pace again after a success', async () => {
    using test = startGates({ failures: 2, cooldownMs: 2 * seconds, maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 6 });
    await test.clock.advance(60 * seconds);
    release(test.acquire('a'), failure);
    await test.clock.advance(11 * seconds);
    release(test.acquire('a'), failure);
    expect(test.changes).toEqual(['closed > open']);
    // The cooldown is over, and the next start is eight seconds later.
    await test.clock.advance(2 * seconds);
    const { startedAt, refused } = queue(test, 3);
    await test.clock.advance(7.9 * seconds);
    expect([startedAt, refused]).toEqual([[], []]);
    await test.clock.advance(0.2 * seconds);
    expect([startedAt.length, test.changes.at(-1)]).toEqual([1, 'half_open > closed']);
    await test.clock.advance(20.1 * seconds);
    const gaps = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(gaps).toHaveLength(2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10 * seconds);
  });

  it('gets nothing behind a probe that fails, however long it waited for its pace', async () => {
    using test = startGates({ failures: 1, cooldownMs: 2 * seconds, maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 6 });
    await test.clock.advance(60 * seconds);
    release(test.acquire('a'), failure);
    await test.clock.advance(2 * seconds);
    const [probe, behind] = [test.acquire('a'), test.acquire('a')];
    await test.clock.advance(8.1 * seconds);
    release(await entryNow(probe), failure);
    expect(await behind).toEqual({ kind: 'refused', outcome: { kind: 'circuit_open' } });
  });

  it('gets its new limits at once', async () => {
    using test = startGates({ maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 1 });
    const { startedAt } = queue(test, 3);
    await test.clock.advance(seconds);
    expect(startedAt).toEqual([]);
    test.limit('a', undefined);
    expect(queue(test, 1).refused).toEqual([]);
    await test.clock.advance(seconds);
    expect(startedAt).toHaveLength(3);
  });

  it('gets nothing for as long as one request takes after partitions were assigned', async () => {
    using test = startGates({ maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 60 });
    await test.clock.advance(600 * seconds);
    test.gates.open('first');
    const { startedAt } = queue(test, 1);
    await test.clock.advance(1000);
    expect(startedAt).toEqual([]);
    await test.clock.advance(200);
    expect(startedAt).toHaveLength(1);
  });

  it('gets nothing for that time again when partitions are assigned while its pace is known', async () => {
    using test = startGates({ maxWaitMs: 600 * seconds });
    test.limit('a', { perMinute: 60 });
    const { startedAt } = queue(test, 20);
    await test.clock.advance(4500);
    expect(startedAt).toHaveLength(4);
    test.gates.open('retry');
    await test.clock.advance(1050);
    expect(startedAt).toHaveLength(4);
    await test.clock.advance(100);
    expect(startedAt).toHaveLength(5);
  });

  it('keeps its pace although it was not used for a minute', async () => {
    using test = startGates();
    test.limit('a', { perMinute: 1 });
    await test.clock.advance(120 * seconds);
    expect(queue(test, 1).startedAt).toHaveLength(1);
    await test.clock.advance(60 * seconds);
    expect(queue(test, 1).startedAt).toEqual([]);
  });
});
