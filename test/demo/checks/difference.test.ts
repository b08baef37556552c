import { expect, it } from 'vitest';
import { differenceOf } from './difference.ts';

it.each([
  ['plain values', 0, 1, { expected: '0', found: '1' }],
  ['a value in place of a list', ['a'], undefined, { expected: "[ 'a' ]", found: 'undefined' }],
  ['lists, by what the other lacks', ['a', 'b'], ['b', 'c'], { expected: "[ 'a' ]", found: "[ 'c' ]" }],
  ['records, by their keys', { a: 1, b: 2 }, { a: 1, b: 3 }, { expected: '{ b: 2 }', found: '{ b: 3 }' }],
  ['records, one of which has more', {}, { a: 1 }, { expected: '{}', found: '{ a: 1 }' }],
  ['long lists, in brief', [], [1, 2, 3, 4, 5, 6], { expected: '[]', found: '[ 1, 2, 3, 4 ] and 2 more' }],
])('describes the difference between %s', (_, expected, found, difference) => {
  expect(differenceOf(expected, found)).toEqual(difference);
});
