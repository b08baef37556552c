import { describe, expect, it } from 'vitest';
import { boolean, duration, oneOf, size, wholeNumber } from '../../../src/settings/kinds/kind.ts';

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
