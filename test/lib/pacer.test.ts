import { describe, expect, it } from 'vitest';
import { Pacer } from '../../src/lib/pacer.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

describe('a turnstile', () => {
  it('lets one pass at once, and those behind it a moment apart, in order', async () => {
    const clock = new ManualClock();
    const passed = allThrough(new Pacer(8, clock), 3);
    expect(passed).toEqual([1]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2, 3]);
  });

  it.each([
    { come: 257, passing: 5, afterMs: 600, passed: 257, what: 'more pass at a time when hundreds wait' },
    { come: 10_001, passing: 9, afterMs: 400, passed: 809, what: 'eight pass at a time at most' },
  ])('lets $what', async ({ come, passing, afterMs, passed }) => {
    const clock = new ManualClock();
    const through = allThrough(new Pacer(8, clock), come);
    await clock.advance(4);
    expect(through).toHaveLength(passing);
    await clock.advance(afterMs);
    expect(through).toHaveLength(passed);
  });

  it('lets nobody pass before those who wait', async () => {
    const clock = new ManualClock();
    const turnstile = new Pacer(1, clock);
    const passed: string[] = [];
    void turnstile.pass();
    void turnstile.pass()?.then(() => passed.push('waited'));
    await clock.advance(4);
    void turnstile.pass()?.then(() => passed.push('came'));
    expect(passed).toEqual(['waited']);
    await clock.advance(4);
    expect(passed).toEqual(['waited', 'came']);
  });

  it('needs no timer once nobody comes any more', async () => {
    const clock = new ManualClock();
    const turnstile = new Pacer(1, clock);
    void turnstile.pass();
    void turnstile.pass();
    await clock.advance(8);
    expect(clock.pending).toBe(0);
    expect(turnstile.pass()).toBeUndefined();
  });
});

/** Everybody comes at once. Grows as they pass. */
function allThrough(turnstile: Pacer, count: number): readonly number[] {
  const passed: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    const turn = turnstile.pass();
    if (turn === undefined) passed.push(number);
    else void turn.then(() => passed.push(number));
  }
  return passed;
}
