import { expect, it } from 'vitest';
import { watchStolenTime } from './steal-time.ts';

it('time that the host takes is a part of the time of all processors', () => {
  const stats = ['cpu  100 0 50 800 10 5 5 30 40 0\ncpu0 1 2 3', 'cpu  150 0 60 830 10 5 5 40 90 0\ncpu0 1 2 3'];
  const stolen = watchStolenTime(() => stats.shift() ?? '');
  expect(stolen()).toBeCloseTo(0.1);
});

it('no time is taken where the system does not say', () => {
  const stolen = watchStolenTime(() => '');
  expect(stolen()).toBe(0);
});
