import { expect, it } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { watchProcessPauses } from '../../src/lib/process-pause-watch.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

it('tells how long the process stood still at most, and once', async () => {
  const { clock, told } = start();
  await clock.advance(60_000);
  expect(told).toEqual([]);
  clock.standStill(7000);
  await clock.advance(500);
  expect(told).toEqual([7500]);
  clock.standStill(7000);
  await clock.advance(500);
  expect(told).toHaveLength(1);
});

it('says nothing of what was shorter for sure', async () => {
  const { clock, told } = start();
  clock.standStill(5499);
  await clock.advance(60_000);
  expect(told).toEqual([]);
});

it('leaves no timer behind', async () => {
  const { clock, watch } = start();
  await clock.advance(1000);
  watch[Symbol.dispose]();
  expect(clock.timers.pending).toBe(0);
});

function start() {
  const timers = new ManualClock();
  let lateMs = 0;
  const clock: Clock & { timers: ManualClock; advance(ms: number): Promise<void>; standStill(ms: number): void } = {
    timers,
    now: () => timers.now() + lateMs,
    after: (ms, run) => timers.after(ms, run),
    advance: async (ms) => timers.advance(ms),
    standStill: (ms) => {
      lateMs += ms;
    },
  };
  const told: number[] = [];
  const watch = watchProcessPauses({ clock, longestMs: 6000, paused: (ms) => void told.push(ms) });
  return { clock, told, watch };
}
