import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../../src/settings/checks/edit-distance.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['RETRY_DELAY', 'RETRY_DELAYS', 1],
  ])('from %j to %j is %d', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance);
  });

  it('is symmetric', () => {
    const twoTexts = property(string(), string(), (one, other) => {
      expect(editDistance(one, other)).toBe(editDistance(other, one));
    });
    assert(twoTexts);
  });

  it('is 0 only between equal texts', () => {
    const twoTexts = property(string(), string(), (one, other) => {
      expect(editDistance(one, one)).toBe(0);
      expect(editDistance(one, other) === 0).toBe(one === other);
    });
    assert(twoTexts);
  });
});
