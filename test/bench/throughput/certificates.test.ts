import { describe, expect, it } from 'vitest';
import { certificateOf, ownersOf } from './certificates.ts';

const certificates = { count: 50_000, owners: 1000 };

describe('the owners of certificates', () => {
  it('are the same on every call, and all of them exist', () => {
    const owners = ownersOf(certificates);
    expect(ownersOf(certificates)).toEqual(owners);
    expect(owners).toHaveLength(certificates.count);
    expect(Math.max(...owners)).toBeLessThan(certificates.owners);
  });

  it('do not depend on the number of certificates that follow', () => {
    expect(ownersOf({ ...certificates, count: 100 })).toEqual(ownersOf(certificates).slice(0, 100));
  });

  // By Zipf's law the share of the n-th owner is 1/n of that of the first.
  it.each([0, 1, 2, 9, 99])("follow Zipf's law: number %i", (owner) => {
    const first = 1 / sumOf(Array.from({ length: certificates.owners }, (_, index) => 1 / (index + 1)));
    const expected = (certificates.count * first) / (owner + 1);
    // Four standard deviations. The seed never changes.
    expect(Math.abs(countOf(owner) - expected)).toBeLessThan(4 * Math.sqrt(expected));
  });

  it('are all equal if there is only one', () => {
    expect([...ownersOf({ count: 3, owners: 1 })]).toEqual([0, 0, 0]);
  });
});

it.each([
  [0, 0, 0],
  [87_999, 999, 0],
  [24_999, 249, 12_345_678.9],
])('a certificate has 600 to 700 bytes: number %i of owner %i, written at %d', (number, owner, writtenAt) => {
  const { length } = certificateOf(number, owner, writtenAt);
  expect(length).toBeGreaterThanOrEqual(600);
  expect(length).toBeLessThanOrEqual(700);
});

function countOf(owner: number): number {
  return ownersOf(certificates).filter((one) => one === owner).length;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
