import { expect, it } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { watchProcessPauses } from '../../src/lib/process-pause-watch.ts';
import { ManualClock } from '../support/time/manual-clock.ts';

it('reports the longest possible duration of a pause, once', async () => {
  const { clock, reported } = start();
  await clock.advance(60_000);
  expect(reported).toEqual([]);
  clock.pause(7000);
  await clock.advance(500);
  expect(reported).toEqual([7500]);
  clock.pause(7000);
  await clock.advance(500);
  expect(reported).toHaveLength(1);
});

it('does not report a pause that was certainly shorter than the limit', async () => {
  const { clock, reported } = start();
  clock.pause(5499);
  await clock.advance(60_000);
  expect(reported).toEqual([]);
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
  const clock: Clock & { timers: ManualClock; advance(ms: number): Promise<void>; pause(ms: number): void } = {
    timers,
    now: () => timers.now() + lateMs,
    monotonic: () => timers.monotonic() + lateMs,
    after: (ms, run) => timers.after(ms, run),
    advance: async (ms) => timers.advance(ms),
    pause: (ms) => {
      lateMs += ms;
    },
  };
  const reported: number[] = [];
  const watch = watchProcessPauses({ clock, longestMs: 6000, paused: (ms) => void reported.push(ms) });
  return { clock, reported, watch };
}
