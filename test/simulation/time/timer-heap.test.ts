import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from './timer-heap.ts';

describe('TimerHeap', () => {
  it('gives timers out by their time, and those of the same time in the order they were started', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (times) => {
        const heap = new TimerHeap();
        for (const [order, dueAt] of times.entries()) heap.push({ dueAt, order, run: () => undefined, isOff: false });
        const given = times.map(() => heap.shift(20)).map((timer) => [timer?.dueAt, timer?.order]);
        const wanted = [...times.entries()].toSorted(([, one], [, other]) => one - other);
        expect(given).toEqual(wanted.map(([order, dueAt]) => [dueAt, order]));
      }),
    );
  });

  it('keeps what is due later', () => {
    const heap = new TimerHeap();
    heap.push({ dueAt: 2, order: 0, run: () => undefined, isOff: false });
    expect(heap.shift(1)).toBeUndefined();
    expect(heap.shift(2)?.dueAt).toBe(2);
  });
});
