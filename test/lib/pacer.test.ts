import { describe, expect, it } from 'vitest';
import { Pacer } from '../../src/lib/pacer.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

describe('a pacer', () => {
  it('lets the first caller pass at once, and later ones 4 ms apart, in order', async () => {
    const clock = new ManualClock();
    const passed = passAll(new Pacer(8, clock), 3);
    expect(passed).toEqual([1]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2, 3]);
  });

  it.each([
    { callers: 257, first: 5, afterMs: 600, passed: 257, what: 'more callers pass per interval when hundreds wait' },
    { callers: 10_001, first: 9, afterMs: 400, passed: 809, what: 'at most eight callers pass per interval' },
  ])('lets $what', async ({ callers, first, afterMs, passed }) => {
    const clock = new ManualClock();
    const passing = passAll(new Pacer(8, clock), callers);
    await clock.advance(4);
    expect(passing).toHaveLength(first);
    await clock.advance(afterMs);
    expect(passing).toHaveLength(passed);
  });

  it('lets no new caller pass before those that wait', async () => {
    const clock = new ManualClock();
    const pacer = new Pacer(1, clock);
    const passed: string[] = [];
    void pacer.pass();
    void pacer.pass()?.then(() => passed.push('waiting'));
    await clock.advance(4);
    void pacer.pass()?.then(() => passed.push('new'));
    expect(passed).toEqual(['waiting']);
    await clock.advance(4);
    expect(passed).toEqual(['waiting', 'new']);
  });

  it('keeps no timer when there are no more callers', async () => {
    const clock = new ManualClock();
    const pacer = new Pacer(1, clock);
    void pacer.pass();
    void pacer.pass();
    await clock.advance(8);
    expect(clock.pending).toBe(0);
    expect(pacer.pass()).toBeUndefined();
  });
});

/** Calls `pass` so often at once. Returns a list of callers that grows as they pass. */
function passAll(pacer: Pacer, callers: number): readonly number[] {
  const passed: number[] = [];
  for (let caller = 1; caller <= callers; caller += 1) {
    const waiting = pacer.pass();
    if (waiting === undefined) passed.push(caller);
    else void waiting.then(() => passed.push(caller));
  }
  return passed;
}
