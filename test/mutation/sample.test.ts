import { expect, it } from 'vitest';
import { sampleOf } from './sample.ts';

const items = Array.from({ length: 100 }, (_, index) => index);

it('draws the same items with the same seed, and none of them twice', () => {
  const sample = sampleOf(items, 10, 1);
  expect(new Set(sample).size).toBe(10);
  expect(sampleOf(items, 10, 1)).toEqual(sample);
  expect(sampleOf(items, 10, 2)).not.toEqual(sample);
});

it('draws all items if there are fewer', () => {
  expect(sampleOf(items, 101, 1).toSorted((one, other) => one - other)).toEqual(items);
});
