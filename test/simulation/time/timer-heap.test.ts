import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from './timer-heap.ts';

describe('TimerHeap', () => {
  it('returns timers by due time, and timers of the same time in the order of their creation', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (times) => {
        const heap = new TimerHeap();
        for (const [order, dueAt] of times.entries())
          heap.push({ dueAt, order, run: () => undefined, isCancelled: false });
        const shifted = times.map(() => heap.shift(20)).map((timer) => [timer?.dueAt, timer?.order]);
        const wanted = [...times.entries()].toSorted(([, one], [, other]) => one - other);
        expect(shifted).toEqual(wanted.map(([order, dueAt]) => [dueAt, order]));
      }),
    );
  });

  it('keeps a timer that is due later', () => {
    const heap = new TimerHeap();
    heap.push({ dueAt: 2, order: 0, run: () => undefined, isCancelled: false });
    expect(heap.shift(1)).toBeUndefined();
    expect(heap.shift(2)?.dueAt).toBe(2);
  });
});
