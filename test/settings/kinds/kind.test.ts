import { describe, expect, it } from 'vitest';
import {
  ascending,
  boolean,
  duration,
  listOf,
  oneOf,
  size,
  unique,
  wholeNumber,
} from '../../../src/settings/kinds/kind.ts';

const wrong = { kind: 'wrong' };

describe('a kind with bounds', () => {
  it.each(['1', '05', '10'])('takes the whole number %s', (text) => {
    expect(wholeNumber({ min: 1, max: 10 }).parse(text)).toEqual({ kind: 'value', value: Number(text) });
  });

  it.each(['0', '11', '', '-1', '1.0', '1e1', '0x5', ' 5', 'five'])('refuses %j between 1 and 10', (text) => {
    expect(wholeNumber({ min: 1, max: 10 }).parse(text)).toEqual(wrong);
  });

  it('takes durations within its bounds only', () => {
    const kind = duration({ min: 100, max: 60_000 });
    expect(kind.parse('100ms')).toEqual({ kind: 'value', value: 100 });
    expect(kind.parse('1m')).toEqual({ kind: 'value', value: 60_000 });
    expect(kind.parse('99ms')).toEqual(wrong);
    expect(kind.parse('61s')).toEqual(wrong);
    expect(kind.expected).toBe('a duration from `100ms` to `1m`');
  });

  it('takes sizes within its bounds only', () => {
    const kind = size({ min: 1024, max: 2048 });
    expect(kind.parse('1KiB')).toEqual({ kind: 'value', value: 1024 });
    expect(kind.parse('2048B')).toEqual({ kind: 'value', value: 2048 });
    expect(kind.parse('1023B')).toEqual(wrong);
    expect(kind.parse('1MiB')).toEqual(wrong);
    expect(kind.expected).toBe('a size from `1KiB` to `2KiB`');
  });
});

describe('a kind with fixed choices', () => {
  it('takes true and false only', () => {
    expect(boolean.parse('true')).toEqual({ kind: 'value', value: true });
    expect(boolean.parse('false')).toEqual({ kind: 'value', value: false });
    for (const text of ['True', '1', 'yes', 'on']) expect(boolean.parse(text)).toEqual(wrong);
  });

  it('takes only its exact choices', () => {
    const kind = oneOf(['none', 'gzip']);
    expect(kind.parse('gzip')).toEqual({ kind: 'value', value: 'gzip' });
    expect(kind.parse('GZIP')).toEqual(wrong);
    expect(kind.expected).toBe('one of `none`, `gzip`');
  });
});

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
