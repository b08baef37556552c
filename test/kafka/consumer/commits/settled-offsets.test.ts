import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeSettled,
  encodeSettled,
  type SettledRange,
} from '../../../../src/kafka/consumer/commits/commit-metadata.ts';

/** Ranges above a position, each after a gap of at least one offset. The first may lie at the position. */
const settled = fc
  .tuple(
    fc.nat(1e12),
    fc.boolean(),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }))),
  )
  .map(([position, isFirst, pairs]) => ({
    position,
    ranges: toRanges(
      position,
      pairs.map(([gap, length], index) => [isFirst && index === 0 ? 0 : gap, length] as const),
    ),
  }));

describe('the settled offsets of a commit', () => {
  it('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(settled, ({ position, ranges }) => {
        expect(decodeSettled(position, encodeSettled(position, ranges, 1e6))).toEqual(ranges);
      }),
    );
  });

  it('never name an unsettled offset, whatever the limit', () => {
    fc.assert(
      fc.property(settled, fc.nat(200), ({ position, ranges }, maxBytes) => {
        const decoded = decodeSettled(position, encodeSettled(position, ranges, maxBytes));
        expect(decoded).toEqual(ranges.slice(0, decoded.length));
      }),
    );
  });

  it('are empty if another tool has written the metadata', () => {
    for (const metadata of [
      '',
      'w1:',
      'w2:AQE=',
      'hello',
      'w1:%%%',
      'w1:gA==',
      'w1:AQ==',
      'w1:AQA=',
      `w1:${'/'.repeat(40)}`,
      // The first range begins at the largest offset.
      `w1:${Buffer.from([...Array.from({ length: 7 }, () => 0xff), 0x0f, 1]).toString('base64')}`,
    ]) {
      expect(decodeSettled(10, metadata)).toEqual([]);
    }
  });

  it('are decoded from any text without throwing, and lie at the position or above', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `w1:${text}`),
        ),
        (position, metadata) => {
          for (const { start, end } of decodeSettled(position, metadata)) {
            expect(start).toBeGreaterThanOrEqual(position);
            expect(end).toBeGreaterThan(start);
          }
        },
      ),
    );
  });
});

function toRanges(
  position: number,
  pairs: readonly (readonly [gap: number, length: number])[],
): readonly SettledRange[] {
  let end = position;
  return pairs.map(([gap, length]) => {
    const start = end + gap;
    end = start + length;
    return { start, end };
  });
}
