import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fieldName,
  plainInteger,
  toJson,
  withoutUnset,
  type Plain,
  type PlainObject,
} from '../../src/certificates/plain.ts';

it('keeps every digit of a number', () => {
  const value = [plainInteger(9_223_372_036_854_775_807n), plainInteger(-1), 0.1, JSON.rawJSON('12.50')];
  expect(toJson(value)).toBe('[9223372036854775807,-1,0.1,12.50]');
});

it('keeps names with a special meaning in JavaScript, in their order', () => {
  const value = objectOf(['b', 1], ['1', 2], ['__proto__', objectOf(['constructor', null])]);
  expect(toJson(value)).toBe('{"b":1,"1":2,"__proto__":{"constructor":null}}');
});

it('keeps any names in their order, and any texts', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '1',
      '01',
      '1"x',
      '__proto__',
      'toJSON',
      '{"1',
      ',"',
      '\\udfff',
      '{"\\udfff1',
      '\u{1F393}',
      '\uDFFF',
      '\uDFFF1',
    ),
  );
  // Half a surrogate pair comes from no record, so only names may have one.
  const wellFormed = text.filter((one) => one.isWellFormed());
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(text, fc.array(wellFormed)), { selector: ([name]) => name }), (fields) => {
      const pairs = fields.map(([name, texts]) => `${JSON.stringify(name)}:${JSON.stringify(texts)}`);
      expect(toJson(objectOf(...fields))).toBe(`{${pairs.join(',')}}`);
    }),
  );
});

it('writes null for numbers that JSON lacks', () => {
  expect(toJson([Number.NaN, Number.POSITIVE_INFINITY])).toBe('[null,null]');
});

it('writes any JSON value unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(toJson(plainOf(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('omits unset fields at any depth, but no list elements', () => {
  const value = { none: null, list: [null, { set: false, unset: null }], '1': null };
  expect(toJson(withoutUnset(value))).toBe('{"list":[null,{"set":false}]}');
});

function objectOf(...fields: readonly (readonly [name: string, field: Plain])[]): PlainObject {
  return Object.fromEntries(fields.map(([name, field]) => [fieldName(name), field]));
}

function plainOf(value: unknown): Plain {
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value === 'object' && value !== null) {
    return objectOf(...Object.entries(value).map(([name, field]) => [name, plainOf(field)] as const));
  }
  return value as Plain;
}
