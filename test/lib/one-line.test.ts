import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine } from '../../src/lib/printable.ts';

describe('oneLine', () => {
  it('makes any text one well-formed line of at most 256 characters, without spaces at its ends', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('x', '\n', ' ', '\u0000', '\u2028', 'ß', '🎓'),
          maxLength: 600,
          size: 'max',
        }),
        (text) => {
          const line = oneLine(text);
          expect(line.length).toBeLessThanOrEqual(256);
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
          expect(line.isWellFormed()).toBe(true);
          expect(line).toBe(line.trim());
        },
      ),
    );
  });

  it('leaves a short line as it is, and never splits a surrogate pair', () => {
    expect(oneLine('Connection refused')).toBe('Connection refused');
    expect(oneLine(`${'x'.repeat(255)}🎓`)).toBe('x'.repeat(255));
  });
});
