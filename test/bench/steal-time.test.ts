import { expect, it } from 'vitest';
import { watchStealTime } from './steal-time.ts';

it('steal time is a share of the time of all processors', () => {
  const stats = ['cpu  100 0 50 800 10 5 5 30 40 0\ncpu0 1 2 3', 'cpu  150 0 60 830 10 5 5 40 90 0\ncpu0 1 2 3'];
  const stealShare = watchStealTime(() => stats.shift() ?? '');
  expect(stealShare()).toBeCloseTo(0.1);
});

it('there is no steal time where the system does not report it', () => {
  const stealShare = watchStealTime(() => '');
  expect(stealShare()).toBe(0);
});
