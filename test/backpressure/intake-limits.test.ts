import { describe, expect, it } from 'vitest';
import { IntakeLimits } from '../../src/backpressure/intake-limits.ts';

const nothing = { records: 0, recent: 0, bytes: 0, span: 0 };
const plenty = { maxRecords: 1000, maxBytes: 1e6, maxSpan: 1e6, sharedEqually: false };

describe('IntakeLimits', () => {
  it('is full at so many records or bytes, of whatever partition', () => {
    const limits = new IntakeLimits({ maxRecords: 2, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    const first = limits.take(10);
    expect(limits.isFull(nothing)).toBe(false);
    const second = limits.take(10);
    expect(limits.isFull(nothing)).toBe(true);
    limits.release(first);
    limits.take(95);
    limits.release(second);
    limits.take(5);
    expect(limits.isFull(nothing)).toBe(true);
  });

  it('is full for a partition whose commit is too far behind', () => {
    const limits = new IntakeLimits({ maxRecords: 10, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    expect(limits.isFull({ ...nothing, span: 999 })).toBe(false);
    expect(limits.isFull({ ...nothing, span: 1000 })).toBe(true);
  });

  it('lets each partition have a few while the process is behind', () => {
    const timesEnough = (): number => 1;
    const limits = new IntakeLimits({ ...plenty, timesEnough });
    expect(limits.isFull({ ...nothing, records: 500, recent: 31 })).toBe(false);
    expect(limits.isFull({ ...nothing, records: 500, recent: 32 })).toBe(true);
    expect(limits.hasEased({ ...nothing, records: 500, recent: 24 })).toBe(false);
    expect(limits.hasEased({ ...nothing, records: 500, recent: 23 })).toBe(true);
  });

  it.each([
    { partitions: 1, few: 384 },
    { partitions: 4, few: 96 },
    { partitions: 100, few: 32 },
  ])('admits $few of each of $partitions partitions all the same, while what is out at once is 384', (shared) => {
    const timesEnough = (): number => 1;
    const limits = new IntakeLimits({ ...plenty, timesEnough, maxAtOnce: 384 });
    limits.divideAmong(shared.partitions);
    expect(limits.isFull({ ...nothing, recent: shared.few - 1 })).toBe(false);
    expect(limits.isFull({ ...nothing, recent: shared.few })).toBe(true);
  });

  it('takes in fewer of a partition at a time where it is told to', () => {
    expect(new IntakeLimits(plenty).atATime).toBe(32);
    expect(new IntakeLimits({ ...plenty, fewRecords: 8 }).atATime).toBe(8);
  });

  it.each([
    { timesEnough: 0.9, few: undefined },
    { timesEnough: 2, few: 16 },
    { timesEnough: 32, few: 1 },
    { timesEnough: 1000, few: 1 },
  ])(
    'lets each partition have fewer, the further behind the process is: $few at $timesEnough times enough',
    (times) => {
      const limits = new IntakeLimits({ ...plenty, timesEnough: () => times.timesEnough });
      const mostRecent = Array.from({ length: 100 }, (_, recent) => recent).find((recent) =>
        limits.isFull({ ...nothing, recent }),
      );
      expect(mostRecent).toBe(times.few);
    },
  );

  it('goes on only once there is room again for some', () => {
    const limits = new IntakeLimits({ maxRecords: 4, maxBytes: 100, maxSpan: 1000, sharedEqually: false });
    limits.take(1);
    limits.take(1);
    const last = limits.take(1);
    expect(limits.isFull(nothing)).toBe(false);
    expect(limits.hasEased(nothing)).toBe(false);
    limits.release(last);
    expect(limits.hasEased(nothing)).toBe(true);
  });

  it('leaves room for other partitions, however many have filled up', () => {
    const limits = new IntakeLimits({ maxRecords: 1000, maxBytes: 1e6, maxSpan: 1e6, sharedEqually: false });
    const held = [0, 1, 2].map(() => {
      let records = 0;
      for (; !limits.isFull({ ...nothing, records, bytes: records }); records += 1) limits.take(1);
      return records;
    });
    expect(held).toEqual([750, 188, 47]);
    expect(limits.isFull(nothing)).toBe(false);
  });

  it('leaves bytes for other partitions, too', () => {
    const limits = new IntakeLimits({ maxRecords: 1000, maxBytes: 1000, maxSpan: 1e6, sharedEqually: false });
    limits.take(800);
    expect(limits.isFull({ ...nothing, records: 1, bytes: 800 })).toBe(true);
    expect(limits.isFull(nothing)).toBe(false);
  });

  it('holds a part of it while it is told to, and keeps what it has', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 800, maxSpan: 1000, sharedEqually: false });
    const held = Array.from({ length: 4 }, () => limits.take(1));
    limits.shrinkTo(0.25);
    expect(limits).toMatchObject({ maxRecords: 2, maxBytes: 200, records: 4 });
    expect(limits.isFull(nothing)).toBe(true);
    for (const taken of held.slice(1)) limits.release(taken);
    expect(limits.hasEased(nothing)).toBe(true);
    limits.shrinkTo(1);
    expect(limits.maxRecords).toBe(8);
  });

  it('gives each partition its share where records wait for long, and at least one record', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 80, maxSpan: 1000, sharedEqually: true });
    limits.divideAmong(4);
    for (let record = 0; record < 8; record += 1) limits.take(1);
    expect(limits.isFull({ ...nothing, records: 1, bytes: 1 })).toBe(false);
    expect(limits.isFull({ ...nothing, records: 2, bytes: 2 })).toBe(true);
    expect(limits.isFull({ ...nothing, records: 1, bytes: 20 })).toBe(true);
    expect(limits.isFull(nothing)).toBe(false);
  });

  it('divides what earlier assignments have left of it', () => {
    const limits = new IntakeLimits({ maxRecords: 8, maxBytes: 80, maxSpan: 1000, sharedEqually: true });
    const left = Array.from({ length: 4 }, () => limits.take(1));
    limits.divideAmong(2);
    expect(limits.isFull({ ...nothing, records: 1, bytes: 1 })).toBe(false);
    expect(limits.isFull({ ...nothing, records: 2, bytes: 2 })).toBe(true);
    for (const taken of left) limits.release(taken);
    expect(limits.isFull({ ...nothing, records: 3, bytes: 3 })).toBe(false);
    expect(limits.isFull({ ...nothing, records: 4, bytes: 4 })).toBe(true);
  });
});
