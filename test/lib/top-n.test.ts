import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TopN } from '../../src/lib/top-n.ts';

describe('a top-n list', () => {
  it('equals the first items after sorting all of them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 10 }), (ranks, size) => {
        const items = ranks.map((rank, place) => ({ rank, place }));
        const top = new TopN<(typeof items)[number]>(size);
        for (const item of items) top.offer(item, item.rank);
        const sorted = items.filter(({ rank }) => rank > 0).toSorted((one, other) => other.rank - one.rank);
        expect(top.items).toEqual(sorted.slice(0, size));
        expect(top.total).toBe(sorted.length);
      }),
    );
  });
});
