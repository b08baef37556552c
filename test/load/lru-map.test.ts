import { expect, it } from 'vitest';
import { LruMap } from '../../src/lib/lru-map.ts';
import { costAgainst } from '../support/time/processor-time.ts';

const uses = 100_000;

/** Returns a function that uses the entries of a map in turn, so that each is the least recently used one. */
function usingInTurn(entries: number, use: (map: LruMap<object>, key: string) => void): () => void {
  const map = new LruMap<object>(entries);
  const keys = Array.from({ length: entries + 1 }, (_, index) => `host-${index}.test:443`);
  for (const key of keys) map.set(key, {});
  let next = 0;
  return () => {
    for (let made = 0; made < uses; made += 1) use(map, keys[(next += 1) % keys.length] ?? '');
  };
}

it.each([
  ['get', (map: LruMap<object>, key: string) => void map.get(key)],
  ['replace', (map: LruMap<object>, key: string) => map.set(key, {})],
])('to %s an entry of a hundred thousand costs little more than one of a hundred', (_title, use) => {
  expect(costAgainst(usingInTurn(100, use), usingInTurn(100_000, use))).toBeLessThan(20);
});
