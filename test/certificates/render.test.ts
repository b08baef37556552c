import { expect, it } from 'vitest';
import type { Plain } from '../../src/certificates/plain.ts';
import { renderCertificate } from '../../src/certificates/render.ts';
import { aCertificateDocument } from '../support/builders.ts';

const rendered = (fields: Readonly<Record<string, Plain>>): string => renderCertificate(fields).bytes.toString();

it('writes fields in the order of the contract, and unlisted fields after them in their own order', () => {
  const names = Object.keys(aCertificateDocument());
  const backwards = ['zeta', 'alpha', ...names.toReversed()].map((name) => [name, 1] as const);
  const written: unknown = JSON.parse(renderCertificate(Object.fromEntries(backwards)).bytes.toString());
  expect(Object.keys(Object(written))).toEqual([...names, 'zeta', 'alpha']);
});

it('orders the fields of the rules in the same way', () => {
  const ruleData = { extra: null, validityDurationDays: 730, description: null, name: 'n', type: 't' };
  expect(rendered({ ruleData })).toBe('{"ruleData":{"type":"t","name":"n","validityDurationDays":730,"extra":null}}');
});

it('omits unset fields, except the expiry and unlisted fields', () => {
  const unset = { _badgeId: null, creationDate: null, expires: null, disabled: null, __v: null, extra: null };
  expect(rendered(unset)).toBe('{"expires":null,"extra":null}');
  expect(rendered({})).toBe('{}');
});

it.each([
  ['2028-03-13T09:26:53Z', '2028-03-13T09:26:53.000Z'],
  ['2028-03-13T09:26:53.589999Z', '2028-03-13T09:26:53.589Z'],
  ['2028-03-13T11:26:53.589+02:00', '2028-03-13T09:26:53.589Z'],
  ['2028-03-13T09:26', '2028-03-13T09:26:00.000Z'],
  ['tomorrow', 'tomorrow'],
  ['2026-02-30T00:00:00Z', '2026-02-30T00:00:00Z'],
  ['2028-13-13T09:26:53Z', '2028-13-13T09:26:53Z'],
])('writes the date %s as %s', (text, written) => {
  expect(rendered({ expires: text, createdAt: text })).toBe(JSON.stringify({ expires: written, createdAt: written }));
});

it('treats an empty date as unset', () => {
  expect(rendered({ expires: '', updatedAt: '' })).toBe('{"expires":null}');
});

it('writes a value that is no record unchanged, so that validation rejects it', () => {
  expect(renderCertificate(['a']).bytes.toString()).toBe('["a"]');
});
