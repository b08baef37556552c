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
  }

  leave(line: Line): void {
    this.isGone = true;
    const from = this.isOutside ? 'outside' : 'inside';
    this.moveInside();
    line.leave(this, from);
  }

  moveInside(): void {
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
          const inside = waiting.length - outside.length;
          for (const limit of [1, 2, 9]) expect(line.hasPlace(limit)).toBe(inside < Math.min(limit, places));
          for (const pool of ['first', 'retry'] as const) expect(line.peek(pool)).toBe(firstOf(pool));
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
