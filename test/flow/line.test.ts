import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { WaitingRoom, type Waiter } from '../../src/flow/line.ts';
import { casesOf, longProperty } from '../support/long-property.ts';
import { aStartedDelivery } from '../support/service/record-context.ts';

interface NamedWaiter extends Waiter {
  readonly name: string;
  readonly calls: string[];
}

function aWaiter(name: string, pool: Pool = 'first', backSince?: number): NamedWaiter {
  const calls: string[] = [];
  const progress = aStartedDelivery(calls);
  const nothing = (): void => undefined;
  return {
    name,
    pool,
    backSince,
    calls,
    progress,
    settle: nothing,
    refuse: nothing,
    overflow: nothing,
    isGone: false,
    isOutside: false,
  };
}

/** Returns a room with these places, and deliveries that wait for it. */
function aRoom(places: number, ...waiters: readonly NamedWaiter[]): WaitingRoom {
  const room = new WaitingRoom(places);
  for (const waiter of waiters) room.enter(waiter);
  return room;
}

describe('a waiting room', () => {
  it('returns the delivery of a pool that has waited longest, until it leaves', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b', 'retry'), aWaiter('c')];
    const room = aRoom(8, a, b, c);
    expect([room.peek('first'), room.peek('first'), room.peek('retry')]).toEqual([a, a, b]);
    room.leave(a);
    expect([room.peek('first'), room.waiting]).toEqual([c, 2]);
  });

  it('does not return a delivery that left from the middle', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b'), aWaiter('c')];
    const room = aRoom(8, a, b, c);
    room.leave(b);
    expect(room.peek('first')).toBe(a);
    room.leave(a);
    expect(room.peek('first')).toBe(c);
  });

  it('returns those that are back first, and each place is yielded to the one planned first', () => {
    const [retry, first, b, c] = [
      aWaiter('a', 'retry'),
      aWaiter('b'),
      aWaiter('c', 'retry', 2),
      aWaiter('d', 'retry', 5),
    ];
    const room = aRoom(4, retry, first, b, c);
    expect([room.peek('retry'), room.peek('first'), room.yieldsTo(9)]).toEqual([b, first, first]);
    room.leave(first);
    expect([1, 4, 5].map((planned) => room.yieldsTo(planned))).toEqual([c, c, undefined]);
    room.leave(c);
    expect([1, 4].map((planned) => room.yieldsTo(planned))).toEqual([b, undefined]);
    room.leave(b);
    expect([room.peek('retry'), room.hasReturned]).toEqual([retry, false]);
  });

  it('has its places for both pools together', () => {
    const room = aRoom(3, aWaiter('a'), aWaiter('b', 'retry'));
    expect([room.hasPlace(), room.hasPlace(2)]).toEqual([true, false]);
    room.enter(aWaiter('c', 'retry'));
    expect([room.hasPlace(), room.hasPlace(100)]).toEqual([false, false]);
  });

  it('lets first attempts wait outside while it is full, and enter in order', () => {
    const [a, b, c, d] = [aWaiter('a'), aWaiter('b'), aWaiter('c'), aWaiter('d')];
    const room = aRoom(2, a, b, c, d);
    expect([a, b, c, d].map(({ isOutside }) => isOutside)).toEqual([false, false, true, true]);
    room.leave(a);
    room.leave(b);
    expect(c.calls).toEqual(['outside the room', 'in the room']);
    expect([room.peek('first'), room.hasPlace(), room.waiting]).toEqual([c, false, 2]);
  });

  it('gives the place of a retry to a first attempt outside', () => {
    const [retry, first] = [aWaiter('retry', 'retry'), aWaiter('first')];
    const room = aRoom(1, retry, first);
    expect(room.peek('first')).toBe(first);
    room.leave(retry);
    expect([first.isOutside, room.hasPlace()]).toEqual([false, false]);
  });

  it('keeps its places when a delivery leaves from outside', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b'), aWaiter('c')];
    const room = aRoom(1, a, b, c);
    room.leave(b);
    expect(b.calls).toEqual(['outside the room', 'in the room']);
    expect([c.isOutside, room.hasPlace(), room.waiting]).toEqual([true, false, 2]);
    room.leave(a);
    expect([c.isOutside, room.peek('first')]).toEqual([false, c]);
  });

  const step = fc.oneof(
    fc.record({ kind: fc.constant('enter' as const), pool: fc.constantFrom<Pool>('first', 'first', 'retry') }),
    fc.record({ kind: fc.constant('leave' as const), which: fc.nat(1000) }),
    fc.record({ kind: fc.constant('next' as const), pool: fc.constantFrom<Pool>('first', 'retry') }),
  );

  it('keeps the order of each pool and fills every place, whoever leaves', longProperty(), () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 100, size: 'max' }), (places, steps) => {
        const room = new WaitingRoom(places);
        const waiting: NamedWaiter[] = [];
        const firstOf = (pool: Pool): NamedWaiter | undefined => waiting.find((waiter) => waiter.pool === pool);
        const leave = (waiter: NamedWaiter | undefined): void => {
          if (waiter === undefined) return;
          waiting.splice(waiting.indexOf(waiter), 1);
          room.leave(waiter);
        };
        for (const one of steps) {
          if (one.kind === 'leave') leave(waiting[one.which % waiting.length]);
          else if (one.kind === 'next') leave(firstOf(one.pool));
          else if (one.pool === 'first' || room.hasPlace()) {
            const waiter = aWaiter(String(waiting.length), one.pool);
            waiting.push(waiter);
            room.enter(waiter);
          }
          const outside = waiting.filter(({ isOutside }) => isOutside);
          expect(room.waiting).toBe(waiting.length);
          expect(outside).toHaveLength(Math.max(0, waiting.length - places));
          expect(waiting.slice(waiting.length - outside.length)).toEqual(outside);
          expect(room.firstOutside).toBe(outside[0]);
          for (const pool of ['first', 'retry'] as const) expect(room.peek(pool)).toBe(firstOf(pool));
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
