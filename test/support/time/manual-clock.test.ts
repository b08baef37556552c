import { describe, expect, it } from 'vitest';
import { sleep } from '../../../src/lib/clock.ts';
import { ManualClock } from './manual-clock.ts';

describe('a manual clock', () => {
  it('advances only on request', async () => {
    const clock = new ManualClock(1000);
    const ran: number[] = [];
    clock.after(10, () => ran.push(clock.now()));
    await clock.advance(9);
    expect([clock.now(), ran]).toEqual([1009, []]);
    await clock.advance(1);
    expect([clock.now(), ran]).toEqual([1010, [1010]]);
  });

  it('runs timers in order of time, and equal ones in order of their start', async () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    clock.after(20, () => ran.push('late'));
    clock.after(10, () => ran.push('first'));
    clock.after(10, () => ran.push('second'));
    clock.after(-5, () => ran.push('overdue'));
    await clock.advance(20);
    expect(ran).toEqual(['overdue', 'first', 'second', 'late']);
    expect(clock.pending).toBe(0);
  });

  it('runs timers that are started while it advances, if they are due', async () => {
    const clock = new ManualClock(0);
    const woken: number[] = [];
    const rounds = (async () => {
      for (let round = 0; round < 3; round += 1) {
        await sleep(clock, 10);
        woken.push(clock.now());
      }
    })();
    await clock.advance(100);
    await rounds;
    expect(woken).toEqual([10, 20, 30]);
  });

  it('does not run a cancelled timer, even when another timer cancels it', async () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    const cancelled = clock.after(10, () => ran.push('cancelled'));
    clock.after(5, () => cancelled[Symbol.dispose]());
    await clock.advance(10);
    expect(ran).toEqual([]);
  });
});
