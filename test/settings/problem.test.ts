import { describe, expect, it } from 'vitest';
import { describeProblem, quote } from '../../src/settings/problem.ts';

describe('describeProblem', () => {
  it('says what was found and what is expected', () => {
    const problem = { variable: 'HTTP_PORT', found: '"x"', expected: 'a whole number from `0` to `9`' };
    expect(describeProblem(problem)).toBe('HTTP_PORT is "x": expected a whole number from 0 to 9');
  });

  it('says that a variable is not set', () => {
    const problem = { variable: 'KAFKA_BROKERS', found: undefined, expected: '`host:port`' };
    expect(describeProblem(problem)).toBe('KAFKA_BROKERS is not set: expected host:port');
  });
});

describe('quote', () => {
  it.each([
    ['plain', '"plain"'],
    ['two\nlines', String.raw`"two\nlines"`],
    ['https://user:pa,ss@host/', '"[secret]@host/"'],
    ['a:1,user:p@ss@b:2', '"[secret]@b:2"'],
    ['x'.repeat(201), `"${'x'.repeat(200)}…"`],
  ])('quotes %j safely', (text, printed) => {
    expect(quote(text)).toBe(printed);
  });
});
