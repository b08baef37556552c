import { expect, it } from 'vitest';
import { SlidingCounter } from '../../src/lib/sliding-counter.ts';

it('counts the items that were not removed', () => {
  const counter = new SlidingCounter(500);
  const [first] = [counter.add(0), counter.add(10)];
  expect(counter.count(20)).toBe(2);
  counter.remove(first);
  expect(counter.count(20)).toBe(1);
});

it('counts an item for at least one period, and no longer than two', () => {
  const counter = new SlidingCounter(500);
  counter.add(0);
  counter.add(499);
  expect(counter.count(500)).toBe(2);
  expect(counter.count(998)).toBe(2);
  expect(counter.count(1000)).toBe(0);
});

it('ignores the removal of an item that no longer counts', () => {
  const counter = new SlidingCounter(500);
  const late = counter.add(0);
  counter.add(1200);
  counter.remove(late);
  expect(counter.count(1300)).toBe(1);
});
