import { expect, it } from 'vitest';
import { SlidingCounter } from '../../src/lib/sliding-counter.ts';

it('counts those that are there', () => {
  const tally = new SlidingCounter(500);
  const [first] = [tally.add(0), tally.add(10)];
  expect(tally.count(20)).toBe(2);
  tally.remove(first);
  expect(tally.count(20)).toBe(1);
});

it('counts nobody who has stayed for two periods, and everybody for one', () => {
  const tally = new SlidingCounter(500);
  tally.add(0);
  tally.add(499);
  expect(tally.count(500)).toBe(2);
  expect(tally.count(998)).toBe(2);
  expect(tally.count(1000)).toBe(0);
});

it('takes no harm from who leaves when he is no longer counted', () => {
  const tally = new SlidingCounter(500);
  const late = tally.add(0);
  tally.add(1200);
  tally.remove(late);
  expect(tally.count(1300)).toBe(1);
});
