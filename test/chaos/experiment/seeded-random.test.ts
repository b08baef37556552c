import { expect, it } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

const numbersOf = (seed: number): readonly number[] => {
  const random = new SeededRandom(seed);
  return Array.from({ length: 1000 }, () => random.between(2, 5));
};

it('returns the same numbers for the same seed, and others for another seed', () => {
  expect(numbersOf(7)).toEqual(numbersOf(7));
  expect(numbersOf(7)).not.toEqual(numbersOf(8));
});

it('returns numbers across the whole range and none outside', () => {
  const numbers = numbersOf(7);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...numbers)).toBeLessThan(5);
  const thirds = [2, 3, 4].map((low) => numbers.filter((one) => one >= low && one < low + 1).length);
  for (const count of thirds) expect(count).toBeGreaterThan(250);
});

it('picks every choice at some time', () => {
  const random = new SeededRandom(1);
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']));
});
