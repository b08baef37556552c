import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDateTime, parseTime } from '../../src/certificates/certificate-schema.ts';

const at = Date.UTC(2026, 2, 14, 9, 26);

describe('a date-time', () => {
  it.each([
    ['2026-03-14T09:26Z', at],
    ['2026-03-14T09:26', at],
    ['2026-03-14T10:26+01:00', at],
    ['2026-03-14T09:26:00Z', at],
    ['2026-03-14T09:26:54', at + 54_000],
    ['2026-03-14T09:26:54.5Z', at + 54_500],
    ['2026-03-14T09:26:54.123456789Z', at + 54_123],
    ['2026-03-14T03:56:00-05:30', at],
    ['2026-03-14T09:26:00-00:00', at],
    ['2024-02-29T00:00Z', Date.UTC(2024, 1, 29)],
    ['0000-01-01T00:00Z', Date.parse('0000-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ])('%s is read', (text, expected) => {
    expect(parseDateTime(text)).toBe(expected);
  });

  it.each(
    [
      '|2026-03-14|2026-03-14T|2026-03-14T09|2026-03-14T09Z|2026-03-14 09:26Z|2026-03-14t09:26z',
      '2026-03-14T09:26:54,5Z|2026-03-14T09:26:54.Z|2026-03-14T09:26+01|2026-03-14T09:26+0100|2026-03-14T09:26+24:00',
      '2026-03-14T09:26Z[UTC]|2026-03-14T09:26Z\n|2026-03-14T24:00Z|2026-03-14T09:60Z|2026-03-14T09:26:60Z',
      '2026-02-29T00:00Z|2026-04-31T00:00Z|2026-00-14T09:26Z|2026-13-14T09:26Z|2026-03-00T09:26Z|2026-03-32T09:26Z',
      '20260314T0926Z|2026-W11-6T09:26Z|+12026-03-14T09:26Z|٢٠٢٦-03-14T09:26Z',
    ].flatMap((line) => line.split('|')),
  )('%j is refused', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('is read back from every form that Java and JavaScript write', () => {
    const dates = fc.date({
      min: new Date('0000-01-01'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, fc.constantFrom(16, 19, 23), fc.constantFrom('Z', '+00:00', ''), (date, length, offset) => {
        const text = date.toISOString().slice(0, length);
        expect(parseDateTime(`${text}${offset}`)).toBe(Date.parse(`${text}Z`));
      }),
    );
  });
});

describe('a time with its offset', () => {
  it.each([
    ['2026-03-14', Date.UTC(2026, 2, 14)],
    ['2026-03-14T09:26Z', at],
    ['2026-03-14T10:26+01:00', at],
    ['2026-03-14T09:26', undefined],
    ['2026-03-14T09:26:00', undefined],
    ['2026-02-29', undefined],
    ['2026-03', undefined],
    ['2026-03-14Z', undefined],
  ])('is read from %s as %s', (text, expected) => {
    expect(parseTime(text)).toBe(expected);
  });
});
