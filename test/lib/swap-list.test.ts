import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SwapList, type SwapListEntry } from '../../src/lib/swap-list.ts';

describe('a bag', () => {
  it('holds what a set would, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20))), (steps) => {
        const bag = new SwapList<number>();
        const set = new Set<number>();
        const places: SwapListEntry<number>[] = [];
        for (const [number, step] of steps.entries()) {
          const place = step === null ? undefined : places[step];
          if (place === undefined) {
            places.push(bag.add(number));
            set.add(number);
          } else {
            // Also one that is gone.
            bag.delete(place);
            set.delete(place.item);
          }
          expect(new Set(bag)).toEqual(set);
          expect([...bag]).toHaveLength(set.size);
        }
      }),
    );
  });

  it('lists what was there at the beginning while it is being emptied', () => {
    const bag = new SwapList<string>();
    const places = ['a', 'b', 'c'].map((item) => bag.add(item));
    const listed: string[] = [];
    for (const item of bag) {
      listed.push(item);
      for (const place of places) bag.delete(place);
    }
    expect(listed).toEqual(['a', 'b', 'c']);
    expect([...bag]).toEqual([]);
  });
});
