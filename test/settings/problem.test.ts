import { describe, expect, it } from 'vitest';
import { quote } from '../../src/settings/parse-variables.ts';

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
