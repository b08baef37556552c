import { describe, expect, it } from 'vitest';
import { bytes, count, pluralized, timeFromNow, duration } from '../../../../src/telemetry/admin/status/wording.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 5);
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('a number', () => {
  it('has thousands separators', () => {
    expect([count(0), count(12_041), pluralized(1, 'endpoint'), pluralized(2000, 'endpoint')]).toEqual([
      '0',
      '12,041',
      '1 endpoint',
      '2,000 endpoints',
    ]);
  });

  it.each([
    [0, '0 B'],
    [1023, '1020 B'],
    [640 * 1024, '640 KiB'],
    [1.25 * 1024 ** 2, '1.25 MiB'],
    [64 * 1024 ** 3, '64 GiB'],
    [5000 * 1024 ** 3, '5000 GiB'],
  ])('of %d bytes is %s', (number, text) => {
    expect(bytes(number)).toBe(text);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [59 * second, '59 s'],
    [3 * minute + 59 * second, '3 min'],
    [2 * hour, '2 h'],
    [2 * hour + 10 * minute, '2 h 10 min'],
    [3 * day + 4 * hour + 59 * minute, '3 d 4 h'],
    [-12 * second, '12 s'],
  ])('of %d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('a time', () => {
  it.each([
    [now - 4 * second, '4 s ago <time datetime="2026-11-21T12:00:01.000Z">12:00:01</time>'],
    [now + 2 * minute, 'in 2 min <time datetime="2026-11-21T12:02:05.000Z">12:02:05</time>'],
    [now - day, '1 d ago <time datetime="2026-11-20T12:00:05.000Z">2026-11-20 12:00:05</time>'],
  ])('%d is shown as the distance from now and in UTC', (at, text) => {
    expect(timeFromNow(at, now).toString()).toBe(text);
  });

  it.each([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 9_223_372_036_854_775_807n])(
    'outside the range of dates, %d, is shown as the nearest one',
    (at) => {
      expect(timeFromNow(Number(at), now).toString()).toMatch(/<time datetime="[+-]\d{6}-/);
    },
  );
});
