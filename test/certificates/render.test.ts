import { expect, it } from 'vitest';
import type { Plain } from '../../src/certificates/plain.ts';
import { renderCertificate } from '../../src/certificates/render.ts';
import { aCertificateDocument } from '../support/builders.ts';

const rendered = (fields: Readonly<Record<string, Plain>>): string =>
  renderCertificate(new Map(Object.entries(fields))).toString();

it('writes the fields in the order of the contract, and those that it does not list behind them as they come', () => {
  const names = Object.keys(aCertificateDocument());
  const backwards = ['zeta', 'alpha', ...names.toReversed()].map((name) => [name, 1] as const);
  const written: unknown = JSON.parse(renderCertificate(new Map(backwards)).toString());
  expect(Object.keys(Object(written))).toEqual([...names, 'zeta', 'alpha']);
});

it('does the same within the rules of a certificate', () => {
  const ruleData = new Map<string, Plain>([
    ['extra', null],
    ['validityDurationDays', 730],
    ['description', null],
    ['name', 'n'],
    ['type', 't'],
  ]);
  expect(rendered({ ruleData })).toBe('{"ruleData":{"type":"t","name":"n","validityDurationDays":730,"extra":null}}');
});

it('leaves out what is unset, but for an expiry and what the contract does not list', () => {
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
  ['2028-13-13T09:26:53Z', '2028-13-13T09:26:53Z'],
])('writes the date %s as %s', (given, written) => {
  expect(rendered({ expires: given, createdAt: given })).toBe(JSON.stringify({ expires: written, createdAt: written }));
});

it('takes an empty date to be none', () => {
  expect(rendered({ expires: '', updatedAt: '' })).toBe('{"expires":null}');
});

it('writes what is no record as it is, for the schema of records to judge', () => {
  expect(renderCertificate(['a']).toString()).toBe('["a"]');
});
