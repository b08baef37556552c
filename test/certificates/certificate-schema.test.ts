import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { countedFields, validateRecord } from '../../src/certificates/certificate-schema.ts';
import { aCertificateDocument } from '../support/builders.ts';

const required = ['_id', '_userId', '_ownerId'] as const;
const dates = ['creationDate', 'createdAt', 'updatedAt'] as const;

const noDates = ['2026-03-14', '2026-02-30T00:00:00Z', 'Sat, 14 Mar 2026 09:26:54 GMT'];
const wrong = (field: string, expected: string, ...values: readonly unknown[]) =>
  values.map((value) => ({ field, value, expected }));

describe('a record', () => {
  it.each([
    { what: 'null for a date of expiry', overrides: { expires: null } },
    { what: 'no version counter', overrides: { __v: undefined } },
    { what: 'fields of its own', overrides: { issuer: { name: 'A' }, _v: [] } },
    { what: 'an offset in a date', overrides: { createdAt: '2026-03-14T09:26:54+05:30' } },
    { what: 'a date without seconds, as Java writes it', overrides: { createdAt: '2026-03-14T09:26Z' } },
    { what: 'nanoseconds in a date', overrides: { createdAt: '2026-03-14T09:26:54.123456789Z' } },
    { what: 'no lessons', overrides: { _lessonActiveIds: [] } },
    { what: 'a number no double holds, such as 1e999', overrides: { __v: Number.POSITIVE_INFINITY } },
    { what: 'ids that are no ObjectIds', overrides: { _id: '1', _badgeId: '' } },
    { what: 'rules of other types', overrides: { ruleData: { type: 1, name: null, validityDurationDays: 'x' } } },
  ])('is valid with $what', ({ overrides }) => {
    expect(validateRecord(aCertificateDocument(overrides))).toMatchObject({ kind: 'valid', missingFields: [] });
  });

  it.each([
    ...required.flatMap((field) => wrong(field, 'a non-empty string', undefined, null, '', 7, ['x'])),
    ...required.flatMap((field) => wrong(field, 'well-formed Unicode, without half a surrogate pair', 'o\uD800')),
    ...required.flatMap((field) => wrong(field, 'at most 1,024 bytes of UTF-8', 'é'.repeat(513))),
    ...dates.flatMap((field) => wrong(field, 'an ISO 8601 date-time', null, '', 7, ...noDates)),
    ...wrong('expires', 'an ISO 8601 date-time or null', false, '', 'never', 1741944413),
    ...wrong('disabled', 'a boolean', null, 'false', 0),
    ...wrong('expiryReminderSent', 'a boolean', null, 'true', 1),
    ...wrong('_badgeId', 'a string', null, 7, {}),
    ...wrong('_lessonActiveIds', 'an array of strings', null, 'x', {}, [7], ['x', null]),
    ...wrong('ruleData', 'an object', null, 'x', []),
    ...wrong('__v', 'a number', null, '0', {}),
  ])('is invalid with $value as $field, and the message says what it must be', ({ field, value, expected }) => {
    expect(validateRecord(aCertificateDocument({ [field]: value }))).toEqual({
      kind: 'invalid',
      message: `${field} must be ${expected}`,
    });
  });

  it.each([null, true, 7, 'text', [], [{}]].map((document) => ({ document })))(
    'is invalid when it is $document',
    ({ document }) => {
      expect(validateRecord(document)).toEqual({ kind: 'invalid', message: 'the record must be an object' });
    },
  );

  it('gets one message about all its errors, without its values', () => {
    const lessons = Array.from({ length: 100_000 }, () => 4711);
    const result = validateRecord({
      _id: '',
      _userId: 4711,
      _lessonActiveIds: lessons,
      disabled: 'hunter2',
      hunter2: 1,
    });
    expect(result).toEqual({
      kind: 'invalid',
      message: [
        '_id must be a non-empty string',
        '_userId must be a non-empty string',
        '_ownerId must be a non-empty string',
        'disabled must be a boolean',
        '_lessonActiveIds must be an array of strings',
      ].join(', '),
    });
  });

  it('is invalid when its fields would only come from the prototype of an object', () => {
    const document: unknown = JSON.parse('{"__proto__":{"_id":"a","_userId":"b","_ownerId":"c"}}');
    expect(validateRecord(document)).toMatchObject({ kind: 'invalid' });
    const harmless: unknown = JSON.parse('{"__proto__":{"_id":7},"_id":"a","_userId":"b","_ownerId":"c"}');
    expect(validateRecord(harmless)).toMatchObject({ kind: 'valid', id: 'a' });
  });
});

describe('a missing field of the contract', () => {
  it('is listed, including those of the rules', () => {
    const { ruleData: _rules, ...others } = aCertificateDocument();
    expect(validateRecord({ _id: 'a', _userId: 'b', _ownerId: 'c', ruleData: {} })).toMatchObject({
      missingFields: countedFields.filter((field) => field !== 'ruleData'),
    });
    expect(validateRecord(others)).toMatchObject({ missingFields: ['ruleData'] });
  });

  it('is not listed when it is the version counter or the description of the rules', () => {
    const ruleData = { type: 'certification', name: 'Safety', validityDurationDays: 1 };
    expect(validateRecord(aCertificateDocument({ __v: undefined, ruleData }))).toMatchObject({ missingFields: [] });
  });
});

describe('the time of expiry', () => {
  it.each([
    { expires: null, expiresAt: undefined },
    { expires: undefined, expiresAt: undefined },
    { expires: '2026-06-01T00:00:00.000Z', expiresAt: Date.UTC(2026, 5, 1) },
    { expires: '2026-06-01T02:00:00+02:00', expiresAt: Date.UTC(2026, 5, 1) },
    { expires: '2026-06-01T00:00:00', expiresAt: Date.UTC(2026, 5, 1) },
    { expires: '2026-06-01T00:00', expiresAt: Date.UTC(2026, 5, 1) },
  ])('of $expires is $expiresAt, in UTC unless it has an offset', ({ expires, expiresAt }) => {
    expect(validateRecord(aCertificateDocument({ expires }))).toMatchObject({ kind: 'valid', expiresAt });
  });

  it('does not depend on the time zone of the machine', () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    const result = validateRecord(aCertificateDocument({ expires: '2026-06-01T00:00:00' }));
    expect(new Date(2026, 5, 1).getTime()).toBe(Date.UTC(2026, 5, 1, 4));
    expect(result).toMatchObject({ expiresAt: Date.UTC(2026, 5, 1) });
  });

  it('is a number for every valid date', () => {
    const offsets = fc.constantFrom('Z', '', '+00:00', '-00:00', '+23:59', '-12:30');
    const fractions = fc.constantFrom('', '.0', '.123', '.123456789');
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fractions, offsets, (date, fraction, offset) => {
        const result = validateRecord(
          aCertificateDocument({ expires: `${date.toISOString().slice(0, -5)}${fraction}${offset}` }),
        );
        expect(result.kind === 'invalid' || Number.isSafeInteger(result.expiresAt)).toBe(true);
      }),
    );
  });
});
