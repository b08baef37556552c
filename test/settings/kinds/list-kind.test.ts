import { describe, expect, it } from 'vitest';
import { duration } from '../../../src/settings/kinds/kind.ts';
import { ascending, listOf, unique } from '../../../src/settings/kinds/list-kind.ts';

const delay = duration({ min: 1, max: 86_400_000 });

describe('a list', () => {
  it('is separated by commas, with optional spaces', () => {
    const parsed = listOf(delay, unique(String)).parse('1m, 10s ,5ms');
    expect(parsed).toEqual({ kind: 'value', value: [60_000, 10_000, 5] });
  });

  it.each([
    ['10s,1x,2x', '1x'],
    ['10s,,1m', ''],
    ['10s,', ''],
  ])('names the first wrong item of %j', (text, part) => {
    expect(listOf(delay, unique(String)).parse(text)).toEqual({ kind: 'wrong', part, expected: delay.expected });
  });

  it('finds duplicates that are written differently', () => {
    const parsed = listOf(delay, unique(String)).parse('600s,1s,10m');
    expect(parsed).toEqual({ kind: 'wrong', part: '10m', expected: 'a list, without duplicates' });
  });

  it.each([
    ['1m,10s', '10s'],
    ['10s,600s,10m', '10m'],
  ])('must be strictly ascending if its rule says so, unlike %s', (text, part) => {
    const parsed = listOf(delay, ascending).parse(text);
    expect(parsed).toEqual({ kind: 'wrong', part, expected: 'a list, strictly ascending' });
  });
});
