import { describe, expect, it } from 'vitest';
import { isTruncated, TopicPositions } from '../../../src/kafka/reader/topic-positions.ts';

const offsets = (...entries: readonly (readonly [number, number])[]): ReadonlyMap<number, number> => new Map(entries);

describe('TopicPositions', () => {
  it('have reached ends once each partition has reached its end', () => {
    const positions = new TopicPositions(offsets([0, 3], [1, 0]), 0);
    expect(positions.hasReached(offsets([0, 3], [1, 0]))).toBe(true);
    expect(positions.hasReached(offsets([0, 3], [1, 1]))).toBe(false);
    positions.advance({ partition: 1, from: 0, next: 1, end: 4, stableEnd: 4 }, 1);
    expect(positions.hasReached(offsets([0, 3], [1, 1]))).toBe(true);
  });

  it('have not reached the end of a partition that is not read', () => {
    expect(new TopicPositions(offsets([0, 3]), 0).hasReached(offsets([0, 3], [1, 0]))).toBe(false);
  });

  it('lag by the offsets up to the ends that were last reported', () => {
    const positions = new TopicPositions(offsets([0, 3], [1, 0]), 0);
    expect(positions.lagRecords()).toBe(0);
    positions.advance({ partition: 0, from: 3, next: 5, end: 9, stableEnd: 9 }, 1);
    positions.advance({ partition: 1, from: 0, next: 2, end: 1, stableEnd: 1 }, 1);
    expect(positions.lagRecords()).toBe(4);
  });

  it('are returned for the partitions that are known', () => {
    const positions = new TopicPositions(offsets([0, 3], [2, 7]), 0);
    expect(positions.of([0, 1, 2])).toEqual(offsets([0, 3], [2, 7]));
  });
});

describe('isTruncated', () => {
  it.each([
    { ends: offsets([0, 5]), read: offsets([0, 5]), expected: false },
    { ends: offsets([0, 9], [1, 0]), read: offsets([0, 5]), expected: false },
    { ends: offsets([0, 9], [1, 4]), read: offsets([0, 5], [1, 5]), expected: true },
  ])('is truncated when it ends before the position that was read: $expected', ({ ends, read, expected }) => {
    expect(isTruncated(ends, read)).toBe(expected);
  });
});
