import { describe, expect, it } from 'vitest';
import { standstill, type PartitionProgress } from '../../src/kafka/partition-progress.ts';

const still: PartitionProgress = {
  topic: 'completed',
  partition: 3,
  lag: 1,
  uncommitted: 0,
  unsettled: 0,
  paused: false,
  oldestUnsettledAt: undefined,
  readAt: undefined,
};
const now = 1_000_000;

describe('standstill', () => {
  it('names the partition whose records do not come', () => {
    expect(standstill([{ ...still, lag: 0 }, still], { now, since: now - 60_001, patienceMs: 60_000 })).toBe(
      'completed/3 has records and none has come for 60 s',
    );
  });

  it.each<Partial<PartitionProgress>>([
    { lag: 0 },
    { lag: undefined },
    { paused: true },
    { unsettled: 1 },
    { uncommitted: 1 },
    { readAt: now - 1000 },
  ])('has nothing against %o', (progress) => {
    expect(standstill([{ ...still, ...progress }], { now, since: 0, patienceMs: 60_000 })).toBeUndefined();
  });

  it('gives a new assignment its time', () => {
    expect(standstill([still], { now, since: now - 59_000, patienceMs: 60_000 })).toBeUndefined();
  });
});
