import { assert, maxSafeNat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSize, parseSize } from '../../src/lib/size.ts';

describe('parseSize', () => {
  it.each([
    ['0B', 0],
    ['512B', 512],
    ['64KiB', 65_536],
    ['1MiB', 1_048_576],
    ['2GiB', 2_147_483_648],
  ])('reads %s as %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', '64', 'KiB', '64KB', '64kib', '1.5MiB', '-1B', '64 KiB', '99999999999GiB'])('rejects %j', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});

describe('formatSize', () => {
  it.each([
    [0, '0B'],
    [1_000, '1000B'],
    [1_536, '1536B'],
    [65_536, '64KiB'],
    [67_108_864, '64MiB'],
  ])('writes %d bytes in the largest whole unit, %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  it('writes a text that parses back to the same size', () => {
    const everySize = property(maxSafeNat(), (bytes) => {
      expect(parseSize(formatSize(bytes))).toBe(bytes);
    });
    assert(everySize);
  });

  it.each([-1, 0.5, Number.NaN])('refuses %d bytes', (bytes) => {
    expect(() => formatSize(bytes)).toThrow(RangeError);
  });
});
