import { expect, it } from 'vitest';
import { roundedSpread, spreadOf, spreadText } from './spread.ts';

it.each([
  [[7], { median: 7, lowest: 7, highest: 7 }],
  [[10, 9, 100], { median: 10, lowest: 9, highest: 100 }],
  [[3, 1, 2, 5, 4], { median: 3, lowest: 1, highest: 5 }],
  [[4, 1, 2, 3], { median: 3, lowest: 1, highest: 4 }],
])('the spread of %j has the median, the lowest and the highest by size', (numbers, spread) => {
  expect(spreadOf(numbers)).toEqual(spread);
});

it('no numbers have no spread', () => {
  expect(spreadOf([])).toBeUndefined();
});

it('is rounded and written with so many digits', () => {
  const spread = { median: 1.006, lowest: 0.9649, highest: 2 };
  expect(roundedSpread(spread, 2)).toEqual({ median: 1.01, lowest: 0.96, highest: 2 });
  expect(spreadText(spread, 2)).toBe('1.01 (0.96 … 2.00)');
});
