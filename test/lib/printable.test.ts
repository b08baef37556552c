import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../src/lib/printable.ts';

const text = fc.string({
  unit: fc.constantFrom('x', '"', '\\', '\t', '\r', '\n', '\u001B', '\u007F', '\u009B', '\u2028', '\u061C', '\u202E'),
  maxLength: 300,
  size: 'max',
});

describe('a printable text', () => {
  it('has no control, bidirectional or line-breaking character, and as JSON the meaning that it had', () => {
    fc.assert(
      fc.property(text, (original) => {
        expect(printable(original)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(JSON.parse(printable(JSON.stringify({ [original]: original })))).toEqual({ [original]: original });
      }),
    );
  });

  it('of several lines keeps tabs and the ends of lines alone', () => {
    fc.assert(
      fc.property(text, (original) => {
        const lines = printableLines(original);
        expect(lines.replaceAll(/\t|\r?\n/g, '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(lines.match(/\t|\r?\n/g)).toEqual(original.match(/\t|\r?\n/g));
      }),
    );
  });

  it.each(['Größe 日本 😀', 'a\\u009b', ''])('is %j as it was', (original) => {
    expect([printable(original), printableLines(original)]).toEqual([original, original]);
  });
});
