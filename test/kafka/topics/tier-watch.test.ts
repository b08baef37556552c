import { describe, expect, it } from 'vitest';
import { writableTier, type TierSafety } from '../../../src/kafka/topics/tier-watch.ts';

const s = 'safe';
const l = 'limited';
const u = 'unsafe';

describe('the tier that a retry is written to', () => {
  it.each<[string, readonly TierSafety[], number, number | undefined]>([
    ['its own, if that is safe', [s, s, s], 1, 1],
    ['the longest of the shorter ones, if its own is unsafe', [s, s, u], 2, 1],
    ['a shorter one, if the one before is unsafe, too', [s, u, u], 2, 0],
    ['the next longer one, if no shorter one is safe', [u, u, s, s], 1, 2],
    ['one without a limit, if there is any', [l, s, l], 2, 1],
    ['a longer one without a limit rather than its own', [l, s], 0, 1],
    ['its own with a limit, if all others have one or are unsafe', [l, u, l], 2, 2],
    ['none, if all are unsafe', [u, u], 0, undefined],
  ])('is %s', (_title, safeties, tier, expected) => {
    expect(writableTier(safeties, tier)).toBe(expected);
  });
});
