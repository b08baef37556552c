import { describe, expect, it } from 'vitest';
import { Turnstile } from '../../src/lib/turnstile.ts';
import { ManualClock } from '../support/clock.ts';

describe('a turnstile', () => {
  it('lets so many pass at once, and those behind them a moment later, in order', async () => {
    const clock = new ManualClock();
    const turnstile = new Turnstile(2, clock);
    const passed: number[] = [];
    for (const number of [1, 2, 3, 4, 5]) {
      const turn = turnstile.pass();
      if (turn === undefined) passed.push(number);
      else void turn.then(() => passed.push(number));
    }
    expect(passed).toEqual([1, 2]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2, 3, 4]);
    await clock.advance(4);
    expect(passed).toEqual([1, 2, 3, 4, 5]);
  });

  it('lets nobody pass before those who wait', async () => {
    const clock = new ManualClock();
    const turnstile = new Turnstile(1, clock);
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
    const turnstile = new Turnstile(1, clock);
    void turnstile.pass();
    void turnstile.pass();
    await clock.advance(8);
    expect(clock.pending).toBe(0);
    expect(turnstile.pass()).toBeUndefined();
  });
});
