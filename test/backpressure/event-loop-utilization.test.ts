import { expect, it } from 'vitest';
import { EventLoopWatch } from '../../src/backpressure/event-loop-utilization.ts';

it('is saturated if the event loop had little idle time since the last measurement of at least 20 ms', () => {
  const total = { idle: 0, active: 0 };
  const watch = new EventLoopWatch((now = { ...total, utilization: 0 }, previous = { ...now, idle: 0, active: 0 }) => {
    const [idle, active] = [now.idle - previous.idle, now.active - previous.active];
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
