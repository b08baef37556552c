import { describe, expect, it } from 'vitest';
import { batchLength, writeRetryMs, lingerMs, type OutgoingRecord } from '../../../src/kafka/producer/batch.ts';

function records(count: number, valueBytes: number): readonly OutgoingRecord[] {
  return Array.from({ length: count }, () => ({ key: null, value: Buffer.alloc(valueBytes), headers: [] }));
}

describe('a batch', () => {
  it.each([
    ['all of three small records', records(3, 100), 3],
    ['at most 50 records', records(51, 1), 50],
    ['at most half a mebibyte', records(5, 200 * 1024), 2],
    ['one record that is larger than that', records(2, 600 * 1024), 1],
    ['one record before a larger one', [...records(1, 1), ...records(1, 600 * 1024)], 1],
    ['nothing when there are no records', [], 0],
  ])('holds %s', (_, waiting, length) => {
    expect(batchLength(waiting)).toBe(length);
  });

  it('counts keys and headers too', () => {
    const large = Buffer.alloc(150 * 1024);
    const record: OutgoingRecord = { key: large, value: large, headers: [['name', large]] };
    expect(batchLength([record, record])).toBe(1);
  });

  it('counts a text by its bytes in UTF-8', () => {
    const record: OutgoingRecord = { key: null, value: null, headers: [['name', 'é'.repeat(150 * 1024)]] };
    expect(batchLength([record, record])).toBe(1);
  });
});

describe('the wait after a failed write', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1000],
    [6, 8000],
    [7, 10_000],
    [5000, 10_000],
  ])('after failure %i in a row is at most %i ms, and at least half of that', (failures, longestMs) => {
    expect(writeRetryMs(failures, () => 0)).toBe(longestMs / 2);
    expect(writeRetryMs(failures, () => 1 - Number.EPSILON)).toBe(longestMs);
  });
});

describe('the linger', () => {
  it.each([
    { shortestDelayMs: 200, expected: 10 },
    { shortestDelayMs: 10_000, expected: 500 },
    { shortestDelayMs: 60_000, expected: 500 },
  ])('is $expected ms for a shortest delay of $shortestDelayMs ms', ({ shortestDelayMs, expected }) => {
    expect(lingerMs(shortestDelayMs)).toBe(expected);
  });
});
