import { expect, it } from 'vitest';
import { LruMap } from '../../src/lib/lru-map.ts';

it('makes room by giving up the least recently used entry', () => {
  const map = new LruMap<{ readonly of: string }>(2);
  map.set('a', { of: 'a' });
  map.set('b', { of: 'b' });
  map.get('a');
  map.set('c', { of: 'c' });
  expect(['a', 'b', 'c'].map((key) => map.get(key)?.of)).toEqual(['a', undefined, 'c']);
});

it('counts an entry that is set again once', () => {
  const map = new LruMap<readonly number[]>(2);
  map.set('a', [1]);
  map.set('b', [1]);
  map.set('a', [2]);
  map.set('c', [1]);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([[2], undefined, [1]]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
});

it('bounds the size of all entries, if they have one', () => {
  const map = new LruMap<string[]>(6, ({ length }) => length);
  map.set('a', ['1', '2', '3']);
  map.set('b', ['1', '2']);
  map.set('a', ['1']);
  map.set('c', ['1', '2', '3', '4']);
  expect(map.values()).toEqual([['1'], ['1', '2', '3', '4']]);
  map.delete('c');
  map.set('d', ['1', '2', '3', '4', '5']);
  expect(map.values()).toHaveLength(2);
});
