import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SwapList, type SwapListEntry } from '../../src/lib/swap-list.ts';

describe('a swap list', () => {
  it('holds the same items as a set after any additions and deletions', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20))), (steps) => {
        const list = new SwapList<number>();
        const set = new Set<number>();
        const entries: SwapListEntry<number>[] = [];
        for (const [number, step] of steps.entries()) {
          const entry = step === null ? undefined : entries[step];
          if (entry === undefined) {
            entries.push(list.add(number));
            set.add(number);
          } else {
            // The entry may have been deleted before.
            list.delete(entry);
            set.delete(entry.item);
          }
          expect(new Set(list)).toEqual(set);
          expect([...list]).toHaveLength(set.size);
        }
      }),
    );
  });

  it('iterates over the items that it held at the beginning, even while they are deleted', () => {
    const list = new SwapList<string>();
    const entries = ['a', 'b', 'c'].map((item) => list.add(item));
    const visited: string[] = [];
    for (const item of list) {
      visited.push(item);
      for (const entry of entries) list.delete(entry);
    }
    expect(visited).toEqual(['a', 'b', 'c']);
    expect([...list]).toEqual([]);
  });
});
