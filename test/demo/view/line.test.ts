import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fit, painted, plainText, span, type Line } from './line.ts';

const line: Line = [span('one '), span('two', 'good'), span(' three')];

function spans(parts: readonly string[]): Line {
  return parts.map((part) => span(part));
}

function textOf(fitted: Line): string {
  return fitted.map(({ text }) => text).join('');
}

describe('a line', () => {
  it('is shortened to the width of the screen', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 20 }));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (parts, width) => {
        const whole = parts.join('');
        const fitted = textOf(fit(spans(parts), width));
        expect(fitted).toBe(whole.length <= width ? whole : `${whole.slice(0, fitted.length - 1)}…`);
        expect(fitted).toHaveLength(Math.min(whole.length, width));
      }),
    );
  });

  it('ends in an ellipsis when it is shortened', () => {
    expect(plainText(fit(line, 6))).toBe('one t…');
  });

  it('resets the colour after each coloured part', () => {
    expect(painted(line)).toBe('one \u001B[32mtwo\u001B[0m three');
  });

  it('has no control sequences as plain text', () => {
    expect(plainText(line)).toBe('one two three');
  });
});
