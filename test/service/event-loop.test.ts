import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { watchEventLoop } from '../../src/service/event-loop.ts';
import { ManualClock } from '../support/clock.ts';

it('tells whether the event loop has hardly had a moment without work lately', async () => {
  const clock = new ManualClock();
  const total = { idle: 0, active: 0, utilization: 0 };
  const spend = async (spent: Pick<EventLoopUtilization, 'idle' | 'active'>): Promise<void> => {
    total.idle += spent.idle;
    total.active += spent.active;
    await clock.advance(20);
  };
  using watch = watchEventLoop(clock, (now = { ...total }, seen) => performance.eventLoopUtilization(now, seen));
  await spend({ idle: 1, active: 19 });
  expect(watch.isSaturated).toBe(true);
  await spend({ idle: 3, active: 17 });
  expect(watch.isSaturated).toBe(false);
});

it('leaves no timer behind', () => {
  const clock = new ManualClock();
  watchEventLoop(clock)[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
