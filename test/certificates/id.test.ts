import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idProblem, isId, maxIdBytes } from '../../src/certificates/certificate-schema.ts';

describe('an id', () => {
  it.each([
    ['an ObjectId', '507f1f77bcf86cd799439011'],
    ['one character', '1'],
    ['a space', ' '],
    ['a character beyond the first plane', 'o\u{1d11e}'],
    ['a byte order mark', '\uFEFFid'],
    ['the replacement character', 'o\uFFFD'],
    ['1,024 bytes', 'x'.repeat(1024)],
    ['1,024 bytes in 256 characters', '\u{1d11e}'.repeat(256)],
  ])('may be %s', (_what, text) => {
    expect(isId(text)).toBe(true);
    expect(idProblem(text)).toBeUndefined();
  });

  it.each([
    ['nothing', undefined, 'a non-empty string'],
    ['null', null, 'a non-empty string'],
    ['a number', 7, 'a non-empty string'],
    ['an empty text', '', 'a non-empty string'],
    ['the first half of a surrogate pair', 'o\uD800', 'well-formed Unicode, without half a surrogate pair'],
    ['the second half', '\uDC00o', 'well-formed Unicode, without half a surrogate pair'],
    ['1,025 bytes', 'x'.repeat(1025), 'at most 1,024 bytes of UTF-8'],
    ['1,026 bytes in 513 characters', 'é'.repeat(513), 'at most 1,024 bytes of UTF-8'],
    ['two megabytes', 'x'.repeat(2_200_000), 'at most 1,024 bytes of UTF-8'],
  ])('is not %s', (_what, value, problem) => {
    expect(isId(value)).toBe(false);
    expect(idProblem(value)).toBe(problem);
  });

  it('is the text of its own UTF-8, and short', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        (text) => {
          const bytes = Buffer.from(text, 'utf8');
          const comesBack = bytes.toString('utf8') === text;
          expect(isId(text)).toBe(comesBack && bytes.length > 0 && bytes.length <= maxIdBytes);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
