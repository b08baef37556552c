import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber, toJson, withoutUnset, type Plain } from '../../src/certificates/plain.ts';

it('keeps every digit of a number', () => {
  const value = [9_223_372_036_854_775_807n, -1n, 0.1, new ExactNumber('12.50')];
  expect(toJson(value)).toBe('[9223372036854775807,-1,0.1,12.50]');
});

it('keeps names with a special meaning in JavaScript, in their order', () => {
  const value = new Map<string, Plain>([
    ['b', 1],
    ['1', 2],
    ['__proto__', new Map([['constructor', null]])],
  ]);
  expect(toJson(value)).toBe('{"b":1,"1":2,"__proto__":{"constructor":null}}');
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
  const inner = new Map<string, Plain>([
    ['set', false],
    ['unset', null],
  ]);
  const value = new Map<string, Plain>([
    ['none', null],
    ['list', [null, inner]],
  ]);
  expect(toJson(withoutUnset(value))).toBe('{"list":[null,{"set":false}]}');
});

function plainOf(value: unknown): Plain {
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([name, field]) => [name, plainOf(field)]));
  }
  return value as Plain;
}
