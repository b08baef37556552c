import { describe, expect, it } from 'vitest';
import { certificateOf, ownersOf } from './certificates.ts';

const crowd = { certificates: 50_000, owners: 1000 };

describe('the owners of certificates', () => {
  it('are the same for whoever asks, and all of them known', () => {
    const owners = ownersOf(crowd);
    expect(ownersOf(crowd)).toEqual(owners);
    expect(owners).toHaveLength(crowd.certificates);
    expect(Math.max(...owners)).toBeLessThan(crowd.owners);
  });

  it('do not depend on how many certificates follow', () => {
    expect(ownersOf({ ...crowd, certificates: 100 })).toEqual(ownersOf(crowd).slice(0, 100));
  });

  // By Zipf's law the share of the n-th owner is 1/n of that of the first.
  it.each([0, 1, 2, 9, 99])('get as many as Zipf says: number %i', (owner) => {
    const first = 1 / sumOf(Array.from({ length: crowd.owners }, (_, index) => 1 / (index + 1)));
    const expected = (crowd.certificates * first) / (owner + 1);
    // Four standard deviations: the seed is always the same.
    expect(Math.abs(countOf(owner) - expected)).toBeLessThan(4 * Math.sqrt(expected));
  });

  it('are all the one, if there is only one', () => {
    expect([...ownersOf({ certificates: 3, owners: 1 })]).toEqual([0, 0, 0]);
  });
});

it.each([
  [0, 0, 0],
  [87_999, 999, 0],
  [24_999, 249, 12_345_678.9],
])('is a certificate of 600 to 700 bytes: number %i of owner %i, written at %d', (number, owner, writtenAt) => {
  const { length } = certificateOf(number, owner, writtenAt);
  expect(length).toBeGreaterThanOrEqual(600);
  expect(length).toBeLessThanOrEqual(700);
});

function countOf(owner: number): number {
  return ownersOf(crowd).filter((one) => one === owner).length;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
