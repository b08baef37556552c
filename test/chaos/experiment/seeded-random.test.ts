import { expect, it } from 'vitest';
import { Dice } from './seeded-random.ts';

const throwsOf = (seed: number): readonly number[] => {
  const dice = new Dice(seed);
  return Array.from({ length: 1000 }, () => dice.between(2, 5));
};

it('throws the same numbers for the same seed, and others for another', () => {
  expect(throwsOf(7)).toEqual(throwsOf(7));
  expect(throwsOf(7)).not.toEqual(throwsOf(8));
});

it('throws within the bounds, and everywhere between them', () => {
  const numbers = throwsOf(7);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...numbers)).toBeLessThan(5);
  const thirds = [2, 3, 4].map((low) => numbers.filter((one) => one >= low && one < low + 1).length);
  for (const count of thirds) expect(count).toBeGreaterThan(250);
});

it('picks each of the choices', () => {
  const dice = new Dice(1);
  expect(new Set(Array.from({ length: 100 }, () => dice.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']));
});
