import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortestFloat } from '../../src/certificates/plain.ts';

it.each([0.1, 0.2, 1.1, 16_777_216, 1e-45, 3.4028235e38, 0, 0.5, 1e10, Number.NaN, Infinity, -Infinity])(
  'keeps %d as it was written',
  (written) => {
    expect(shortestFloat(Math.fround(written))).toBe(written);
  },
);

it('reads back as the same float, and is never longer than the double', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => {
      const short = shortestFloat(value);
      expect(Math.fround(short) === value).toBe(true);
      expect(String(short).length).toBeLessThanOrEqual(String(value).length);
    }),
  );
});
