import { Random } from '../simulation/random.ts';

/** Returns a random part of the items, in a random order. The same seed chooses the same ones. */
export function sampleOf<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const random = new Random(seed);
  const drawn = items.map((item) => ({ item, lot: random.next() }));
  const chosen = drawn.toSorted((one, other) => one.lot - other.lot).slice(0, count);
  return chosen.map(({ item }) => item);
}
