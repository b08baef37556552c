import { expect, it } from 'vitest';
import { WideMap } from '../../src/lib/wide-map.ts';

it('does what a map does', () => {
  const map = new WideMap<number>();
  const names = Array.from({ length: 10_000 }, (_, index) => `owner-${index}`);
  for (const [index, name] of names.entries()) map.set(name, index);
  map.set('owner-1', -1);
  map.delete('owner-2');
  map.delete('nobody');
  expect(map.get('owner-0')).toBe(0);
  expect(map.get('owner-1')).toBe(-1);
  expect(map.get('owner-2')).toBeUndefined();
  expect(map.get('')).toBeUndefined();
  expect([...map.keys()].toSorted()).toEqual(names.filter((name) => name !== 'owner-2').toSorted());
});

it('goes by the whole text, whatever is in it', () => {
  const map = new WideMap<string>();
  const names = ['', 'é', 'e\u0301', '\uD800', '__proto__', 'a'.repeat(1000), `${'a'.repeat(999)}b`];
  for (const name of names) map.set(name, name);
  for (const name of names) expect(map.get(name)).toBe(name);
});
