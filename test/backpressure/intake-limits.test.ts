import { describe, expect, it } from 'vitest';
import { IntakeLimits } from '../../src/backpressure/intake-limits.ts';

const noUsage = { records: 0, recent: 0, bytes: 0, span: 0 };
const plenty = { maxRecords: 1000, maxBytes: 1e6, maxSpan: 1e6, sharedEqually: false };

describe('IntakeLimits', () => {
  it('is full at a number of records or bytes, summed over all partitions', () => {
    const limits = new IntakeLimits({ maxRecords: 2, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    const first = limits.reserve(10);
    expect(limits.isFull(noUsage)).toBe(false);
    const second = limits.reserve(10);
    expect(limits.isFull(noUsage)).toBe(true);
    limits.release(first);
    limits.reserve(95);
    limits.release(second);
    limits.reserve(5);
    expect(limits.isFull(noUsage)).toBe(true);
  });

  it('is full for a partition whose commit is too far behind', () => {
    const limits = new IntakeLimits({ maxRecords: 10, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    expect(limits.isFull({ ...noUsage, span: 999 })).toBe(false);
    expect(limits.isFull({ ...noUsage, span: 1000 })).toBe(true);
  });

  it('lets each partition hold a few recent records while the process is behind', () => {
    const timesEnough = (): number => 1;
    const limits = new IntakeLimits({ ...plenty, timesEnough });
    expect(limits.isFull({ ...noUsage, records: 500, recent: 31 })).toBe(false);
    expect(limits.isFull({ ...noUsage, records: 500, recent: 32 })).toBe(true);
    expect(limits.hasEased({ ...noUsage, records: 500, recent: 24 })).toBe(false);
    expect(limits.hasEased({ ...noUsage, records: 500, recent: 23 })).toBe(true);
  });

  it.each([
    { partitions: 1, few: 384 },
    { partitions: 4, few: 96 },
    { partitions: 100, few: 32 },
  ])(
    'admits $few records of each of $partitions partitions while the process is behind, with 384 requests in flight',
    (shared) => {
      const timesEnough = (): number => 1;
      const limits = new IntakeLimits({ ...plenty, timesEnough, maxAtOnce: 384 });
      limits.divideAmong(shared.partitions);
      expect(limits.isFull({ ...noUsage, recent: shared.few - 1 })).toBe(false);
      expect(limits.isFull({ ...noUsage, recent: shared.few })).toBe(true);
    },
  );

  it('admits fewer records of a partition at a time where that is configured', () => {
    expect(new IntakeLimits(plenty).atATime).toBe(32);
    expect(new IntakeLimits({ ...plenty, fewRecords: 8 }).atATime).toBe(8);
  });

  it.each([
    { timesEnough: 0.9, few: undefined },
    { timesEnough: 2, few: 16 },
    { timesEnough: 32, few: 1 },
    { timesEnough: 1000, few: 1 },
  ])(
    'lets each partition hold fewer recent records, the further behind the process is: $few at $timesEnough times enough',
    (times) => {
      const limits = new IntakeLimits({ ...plenty, timesEnough: () => times.timesEnough });
      const mostRecent = Array.from({ length: 100 }, (_, recent) => recent).find((recent) =>
        limits.isFull({ ...noUsage, recent }),
      );
      expect(mostRecent).toBe(times.few);
    },
  );

  it('lets a paused partition resume only once there is room for several records', () => {
    const limits = new IntakeLimits({ maxRecords: 4, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    limits.reserve(1);
    limits.reserve(1);
    const last = limits.reserve(1);
    expect(limits.isFull(noUsage)).toBe(false);
    expect(limits.hasEased(noUsage)).toBe(false);
    limits.release(last);
    expect(limits.hasEased(noUsage)).toBe(true);
  });

  it('leaves room for other partitions, however many have filled up', () => {
    const limits = new IntakeLimits({ maxRecords: 1000, maxBytes: 1e6, maxSpan: 1e6, sharedEqually: false });
    const held = [0, 1, 2].map(() => {
      let records = 0;
      for (; !limits.isFull({ ...noUsage, records, bytes: records }); records += 1) limits.reserve(1);
      return records;
    });
    expect(held).toEqual([750, 188, 47]);
    expect(limits.isFull(noUsage)).toBe(false);
  });

  it('leaves bytes for other partitions as well', () => {
    const limits = new IntakeLimits({ maxRecords: 1000, maxBytes: 1000, maxSpan: 1e6, sharedEqually: false });
    limits.reserve(800);
    expect(limits.isFull({ ...noUsage, records: 1, bytes: 800 })).toBe(true);
    expect(limits.isFull(noUsage)).toBe(false);
  });

  it('shrinks the limits to a fraction, and keeps the records already held', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 800, maxSpan: 1000, sharedEqually: false });
    const held = Array.from({ length: 4 }, () => limits.reserve(1));
    limits.shrinkTo(0.25);
    expect(limits).toMatchObject({ maxRecords: 2, maxBytes: 200, records: 4 });
    expect(limits.isFull(noUsage)).toBe(true);
    for (const reservation of held.slice(1)) limits.release(reservation);
    expect(limits.hasEased(noUsage)).toBe(true);
    limits.shrinkTo(1);
    expect(limits.maxRecords).toBe(8);
  });

  it('gives each partition an equal share where that is configured, and at least one record', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 80, maxSpan: 1000, sharedEqually: true });
    limits.divideAmong(4);
    for (let record = 0; record < 8; record += 1) limits.reserve(1);
    expect(limits.isFull({ ...noUsage, records: 1, bytes: 1 })).toBe(false);
    expect(limits.isFull({ ...noUsage, records: 2, bytes: 2 })).toBe(true);
    expect(limits.isFull({ ...noUsage, records: 1, bytes: 20 })).toBe(true);
    expect(limits.isFull(noUsage)).toBe(false);
  });

  it('divides what the records of earlier assignments leave', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 80, maxSpan: 1000, sharedEqually: true });
    const earlier = Array.from({ length: 4 }, () => limits.reserve(1));
    limits.divideAmong(2);
    expect(limits.isFull({ ...noUsage, records: 1, bytes: 1 })).toBe(false);
    expect(limits.isFull({ ...noUsage, records: 2, bytes: 2 })).toBe(true);
    for (const reservation of earlier) limits.release(reservation);
    expect(limits.isFull({ ...noUsage, records: 3, bytes: 3 })).toBe(false);
    expect(limits.isFull({ ...noUsage, records: 4, bytes: 4 })).toBe(true);
  });
});
