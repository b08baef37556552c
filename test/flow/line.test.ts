import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../../src/deliveries/delivery.ts';
import { Line, type Waiter } from '../../src/flow/line.ts';
import { Expiring } from '../../src/lib/deadlines.ts';
import { casesOf, longProperty } from '../support/long-property.ts';

/** A delivery that waits, and does nothing else. */
class NamedWaiter extends Expiring implements Waiter {
  readonly name: string;
  readonly pool: Pool;
  readonly backSince: number | undefined;
  readonly calls: string[] = [];
  isGone = false;
  isOutside = false;

  constructor(name: string, pool: Pool, backSince: number | undefined) {
    super();
    this.name = name;
    this.pool = pool;
    this.backSince = backSince;
  }

  enter(line: Line): void {
    this.isOutside = line.enter(this) === 'outside';
    if (this.isOutside) this.calls.push('outside the room');
  }

  leave(line: Line): void {
    this.isGone = true;
    const from = this.isOutside ? 'outside' : 'inside';
    this.moveInside();
    line.leave(this, from);
  }

  moveInside(): void {
    if (this.isOutside) this.calls.push('in the room');
    this.isOutside = false;
  }

  expire(): void {}
  overflow(): void {}
  send(): void {}
  refuse(): void {}
  refuseAs(): void {}
}

function aWaiter(name: string, pool: Pool = 'first', backSince?: number): NamedWaiter {
  return new NamedWaiter(name, pool, backSince);
}

/** Returns a line with these places in its waiting room, and deliveries that wait for it. */
function aLine(places: number, ...waiters: readonly NamedWaiter[]): Line {
  const line = new Line(places);
  for (const waiter of waiters) waiter.enter(line);
  return line;
}

describe('the line of an endpoint', () => {
  it('returns the delivery of a pool that has waited longest, until it leaves', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b', 'retry'), aWaiter('c')];
    const line = aLine(8, a, b, c);
    expect([line.peek('first'), line.peek('first'), line.peek('retry')]).toEqual([a, a, b]);
    a.leave(line);
    expect([line.peek('first'), line.waiting]).toEqual([c, 2]);
  });

  it('does not return a delivery that left from the middle', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b'), aWaiter('c')];
    const line = aLine(8, a, b, c);
    b.leave(line);
    expect(line.peek('first')).toBe(a);
    a.leave(line);
    expect(line.peek('first')).toBe(c);
  });

  it('returns those that are back first, and each place is yielded to the one planned first', () => {
    const [retry, first, b, c] = [
      aWaiter('a', 'retry'),
      aWaiter('b'),
      aWaiter('c', 'retry', 2),
      aWaiter('d', 'retry', 5),
    ];
    const line = aLine(4, retry, first, b, c);
    expect([line.peek('retry'), line.peek('first'), line.yieldsTo(9)]).toEqual([b, first, first]);
    first.leave(line);
    expect([1, 4, 5].map((planned) => line.yieldsTo(planned))).toEqual([c, c, undefined]);
    c.leave(line);
    expect([1, 4].map((planned) => line.yieldsTo(planned))).toEqual([b, undefined]);
    b.leave(line);
    expect([line.peek('retry'), line.hasReturned]).toEqual([retry, false]);
  });

  it('has its places for both pools together', () => {
    const line = aLine(3, aWaiter('a'), aWaiter('b', 'retry'));
    expect([line.hasPlace(), line.hasPlace(2)]).toEqual([true, false]);
    aWaiter('c', 'retry').enter(line);
    expect([line.hasPlace(), line.hasPlace(100)]).toEqual([false, false]);
  });

  it('lets first attempts wait outside while it is full, and enter in order', () => {
    const [a, b, c, d] = [aWaiter('a'), aWaiter('b'), aWaiter('c'), aWaiter('d')];
    const line = aLine(2, a, b, c, d);
    expect([a, b, c, d].map(({ isOutside }) => isOutside)).toEqual([false, false, true, true]);
    a.leave(line);
    b.leave(line);
    expect(c.calls).toEqual(['outside the room', 'in the room']);
    expect([line.peek('first'), line.hasPlace(), line.waiting]).toEqual([c, false, 2]);
  });

  it('gives the place of a retry to a first attempt outside', () => {
    const [retry, first] = [aWaiter('retry', 'retry'), aWaiter('first')];
    const line = aLine(1, retry, first);
    expect(line.peek('first')).toBe(first);
    retry.leave(line);
    expect([first.isOutside, line.hasPlace()]).toEqual([false, false]);
  });

  it('keeps its places when a delivery leaves from outside', () => {
    const [a, b, c] = [aWaiter('a'), aWaiter('b'), aWaiter('c')];
    const line = aLine(1, a, b, c);
    b.leave(line);
    expect(b.calls).toEqual(['outside the room', 'in the room']);
    expect([c.isOutside, line.hasPlace(), line.waiting]).toEqual([true, false, 2]);
    a.leave(line);
    expect([c.isOutside, line.peek('first')]).toEqual([false, c]);
  });

  const step = fc.oneof(
    fc.record({ kind: fc.constant('enter' as const), pool: fc.constantFrom<Pool>('first', 'first', 'retry') }),
    fc.record({ kind: fc.constant('leave' as const), which: fc.nat(1000) }),
    fc.record({ kind: fc.constant('next' as const), pool: fc.constantFrom<Pool>('first', 'retry') }),
  );

  it('keeps the order of each pool and fills every place, whoever leaves', longProperty(), () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 100, size: 'max' }), (places, steps) => {
        const line = new Line(places);
        const waiting: NamedWaiter[] = [];
        const firstOf = (pool: Pool): NamedWaiter | undefined => waiting.find((waiter) => waiter.pool === pool);
        const leave = (waiter: NamedWaiter | undefined): void => {
          if (waiter === undefined) return;
          waiting.splice(waiting.indexOf(waiter), 1);
          waiter.leave(line);
        };
        for (const one of steps) {
          if (one.kind === 'leave') leave(waiting[one.which % waiting.length]);
          else if (one.kind === 'next') leave(firstOf(one.pool));
          else if (one.pool === 'first' || line.hasPlace()) {
            const waiter = aWaiter(String(waiting.length), one.pool);
            waiting.push(waiter);
            waiter.enter(line);
          }
          const outside = waiting.filter(({ isOutside }) => isOutside);
          expect(line.waiting).toBe(waiting.length);
          expect(outside).toHaveLength(Math.max(0, waiting.length - places));
          expect(waiting.slice(waiting.length - outside.length)).toEqual(outside);
          expect(line.firstOutside).toBe(outside[0]);
          for (const pool of ['first', 'retry'] as const) expect(line.peek(pool)).toBe(firstOf(pool));
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
