import { assert, maxSafeNat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/lib/units.ts';

describe('parseDuration', () => {
  it.each([
    ['0ms', 0],
    ['250ms', 250],
    ['10s', 10_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['600s', 600_000],
  ])('reads %s as %d ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each(['', '10', 's', '1.5h', '-1s', '10 s', '10S', '3d', '1h30m', ' 10s', '1e3s', '99999999999999999h'])(
    'rejects %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [1, '1ms'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [600_000, '10m'],
    [86_400_000, '24h'],
  ])('writes %d ms in its largest whole unit, %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('writes a text that parses back to the same duration', () => {
    const everyDuration = property(maxSafeNat(), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
    });
    assert(everyDuration);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d ms', (durationMs) => {
    expect(() => formatDuration(durationMs)).toThrow(RangeError);
  });
});

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
