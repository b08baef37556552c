import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import {
  progressOf,
  findStalledPartition,
  type PartitionProgress,
} from '../../../src/kafka/consumer/partition-progress.ts';

const still: PartitionProgress = {
  topic: 'completed',
  partition: 3,
  lag: 1,
  unread: 1,
  uncommitted: 0,
  unsettled: 0,
  paused: false,
  oldestUnsettledAt: undefined,
  readAt: undefined,
};
const now = 1_000_000;

describe('standstill', () => {
  it('names the partition whose records do not come', () => {
    expect(findStalledPartition([{ ...still, lag: 0 }, still], { now, since: now - 60_001, patienceMs: 60_000 })).toBe(
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
    expect(findStalledPartition([{ ...still, ...progress }], { now, since: 0, patienceMs: 60_000 })).toBeUndefined();
  });

  it('gives a new assignment its time', () => {
    expect(findStalledPartition([still], { now, since: now - 59_000, patienceMs: 60_000 })).toBeUndefined();
  });
});

describe('the progress of a partition', () => {
  const known = { lagOf: () => 40, endOf: () => 140 };

  it('tells what is there and was not received yet, whatever was committed since the brokers were asked', () => {
    const assignment = new Assignment({ completed: [0] });
    assignment.open('completed', 0, 100)?.ledger.admit(129);
    expect(progressOf(assignment, known)).toMatchObject([{ lag: 40, unread: 10, uncommitted: 30, unsettled: 1 }]);
  });

  it('has received nothing before the first record', () => {
    expect(progressOf(new Assignment({ completed: [0] }), known)).toMatchObject([{ lag: 40, unread: 40 }]);
  });

  it('does not guess at what the brokers were not asked for', () => {
    const assignment = new Assignment({ completed: [0] });
    assignment.open('completed', 0, 100);
    const unknown = { lagOf: () => undefined, endOf: () => undefined };
    expect(progressOf(assignment, unknown)).toMatchObject([{ lag: undefined, unread: undefined }]);
  });
});
