import { expect, it } from 'vitest';
import { EventLoopWatch } from '../../src/backpressure/event-loop-utilization.ts';

it('tells whether the event loop has had little time without work since it was last asked', () => {
  const total = { idle: 0, active: 0 };
  const watch = new EventLoopWatch((now = { ...total, utilization: 0 }, seen = { ...now, idle: 0, active: 0 }) => {
    const [idle, active] = [now.idle - seen.idle, now.active - seen.active];
    return { idle, active, utilization: active / (idle + active) };
  });
  expect(watch.isSaturated).toBe(false);
  total.idle += 6;
  total.active += 14;
  expect(watch.isSaturated).toBe(true);
  total.idle += 15;
  expect(watch.isSaturated).toBe(true);
  total.idle += 5;
  expect(watch.isSaturated).toBe(false);
  total.idle += 7;
  total.active += 13;
  expect(watch.isSaturated).toBe(false);
});
