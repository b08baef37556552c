import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/http/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 12, 0, 0);

describe('a Retry-After in seconds', () => {
  it.each([
    ['0', 0],
    ['7', 7000],
    ['120', 120_000],
    [' 30 ', 30_000],
    ['007', 7000],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    // Fractions, as servers that divide milliseconds send them.
    ['20.5', 21_000],
    ['0.001', 1000],
    ['3.0', 3000],
  ])('%j is %d ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each(['', '-5', '+5', '1.', '.5', '1,5', '1.5.2', '1e3', '10s', '5, 10', '0x10', 'soon', '٣'])(
    '%j is nothing',
    (value) => {
      expect(parseRetryAfter(value, now)).toBeUndefined();
    },
  );
});

describe('a Retry-After as a date', () => {
  it.each([
    ['the form to send', 'Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['the form of RFC 850', 'Saturday, 21-Nov-26 12:01:30 GMT', 90_000],
    ['the form of asctime()', 'Sat Nov 21 12:01:30 2026', 90_000],
    ['a day of one digit', 'Tue Dec  1 12:00:00 2026', 10 * 86_400_000],
    ['the offset of mail', 'Sat, 21 Nov 2026 12:01:30 +0000', 90_000],
    ['an unknown local offset of mail', 'Sat, 21 Nov 2026 12:01:30 -0000', 90_000],
    ['another name of the zone', 'Sat, 21 Nov 2026 12:01:30 UTC', 90_000],
    ['a day of one digit in the form to send', 'Tue, 1 Dec 2026 12:00:00 GMT', 10 * 86_400_000],
    ['a leap second', 'Thu, 31 Dec 2026 23:59:60 GMT', Date.UTC(2026, 11, 31, 23, 59, 59) - now],
    ['a date that has passed', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['two digits that mean the last century', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ])('reads %s', (_title, value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  it.each([
    'Sat, 21 Nov 2026 12:01:30',
    'Sat, 21 Nov 2026 12:01:30 CET',
    'Sat, 21 Nov 2026 12:01:30 +0100',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 12:60:00 GMT',
    'Tue, 31 Feb 2026 12:00:00 GMT',
    'Sat, 21 Abc 2026 12:00:00 GMT',
    '2026-11-21T12:01:30Z',
    '21 Nov 2026 12:01:30 GMT',
  ])('takes %j for nothing', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });

  it('is measured against the Date of the response, whatever our clock says', () => {
    const date = 'Sat, 21 Nov 2026 20:00:00 GMT';
    expect(parseRetryAfter('Sat, 21 Nov 2026 20:00:10 GMT', now, date)).toBe(10_000);
  });

  it('is measured against our clock when that Date is none', () => {
    expect(parseRetryAfter('Sat, 21 Nov 2026 12:00:10 GMT', now, 'today')).toBe(10_000);
  });

  it('comes back as it was written, to the second', () => {
    const seconds = fc.integer({ min: 0, max: 400 * 86_400 });
    fc.assert(
      fc.property(seconds, (later) => {
        expect(parseRetryAfter(new Date(now + later * 1000).toUTCString(), now)).toBe(later * 1000);
      }),
    );
  });
});

it('is a number of milliseconds or nothing for any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (value, date) => {
      const ms = parseRetryAfter(value, now, date);
      expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
    }),
  );
});
