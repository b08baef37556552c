import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, pValueOf } from './difference.ts';

describe('the p value', () => {
  // Expected values are those of published tables of the test, and of other programs.
  it.each([
    ['five and five that do not overlap', [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252],
    ['four and four that do not overlap', [1, 2, 3, 4], [5, 6, 7, 8], 2 / 70],
    ['three and three that do not overlap', [1, 2, 3], [4, 5, 6], 2 / 20],
    ['five and five of which one pair is the other way round', [1, 2, 3, 4, 6], [5, 7, 8, 9, 10], 4 / 252],
    ['five and four that do not overlap', [1, 2, 3, 4, 5], [6, 7, 8, 9], 2 / 126],
    ['five and five that alternate', [1, 3, 5, 7, 9], [2, 4, 6, 8, 10], 174 / 252],
    ['the same numbers', [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 1],
    ['numbers that are all equal', [2, 2, 2], [2, 2, 2], 1],
  ])('is correct for %s', (_what, these, those, p) => {
    expect(pValueOf({ these, those })).toBeCloseTo(p, 10);
  });

  it('depends neither on the order of the two nor on the unit, and is above 0 and at most 1', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(numbers, numbers, (these, those) => {
        const p = pValueOf({ these, those });
        const inHundreds = (number: number): number => number * 100;
        expect(pValueOf({ these: those, those: these })).toBe(p);
        expect(pValueOf({ these: these.map(inHundreds), those: those.map(inHundreds) })).toBe(p);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a difference', () => {
  it('has the ratio of the medians, and is found if all runs of one are above all of the other', () => {
    const difference = differenceOf({ these: [13, 11, 12, 15, 14], those: [10, 9, 8, 7, 6] });
    expect(difference).toEqual({ ratio: 13 / 8, p: expect.closeTo(0.0079, 4), verdict: 'difference' });
  });

  it.each([
    ['noise if runs mix', [1, 3, 5, 7, 9], [2, 4, 6, 8, 10], 'noise'],
    ['undecided after three runs, however far apart', [1, 2, 3], [400, 500, 600], 'too few runs'],
  ])('is %s', (_what, these, those, verdict) => {
    expect(differenceOf({ these, those })?.verdict).toBe(verdict);
  });

  it('is undefined if one of them was not measured', () => {
    expect(differenceOf({ these: [1, 2], those: [] })).toBeUndefined();
  });
});
