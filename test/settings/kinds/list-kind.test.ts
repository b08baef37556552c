import { describe, expect, it } from 'vitest';
import { duration } from '../../../src/settings/kinds/kind.ts';
import { ascending, listOf, noneTwice } from '../../../src/settings/kinds/list-kind.ts';

const delay = duration({ min: 1, max: 86_400_000 });

describe('a list', () => {
  it('is separated by commas, with or without spaces', () => {
    const parsed = listOf(delay, noneTwice(String)).parse('1m, 10s ,5ms');
    expect(parsed).toEqual({ kind: 'value', value: [60_000, 10_000, 5] });
  });

  it.each([
    ['10s,1x,2x', '1x'],
    ['10s,,1m', ''],
    ['10s,', ''],
  ])('names the first item of %j that is wrong', (text, part) => {
    expect(listOf(delay, noneTwice(String)).parse(text)).toEqual({ kind: 'wrong', part, expected: delay.expected });
  });

  it('finds the same thing twice even when it is written in two ways', () => {
    const parsed = listOf(delay, noneTwice(String)).parse('600s,1s,10m');
    expect(parsed).toEqual({ kind: 'wrong', part: '10m', expected: 'a list, nothing twice' });
  });

  it.each([
    ['1m,10s', '10s'],
    ['10s,600s,10m', '10m'],
  ])('is strictly ascending where it has to be, unlike %s', (text, part) => {
    const parsed = listOf(delay, ascending).parse(text);
    expect(parsed).toEqual({ kind: 'wrong', part, expected: 'a list, strictly ascending' });
  });
});
