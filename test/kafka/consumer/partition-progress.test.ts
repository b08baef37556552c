import { describe, expect, it } from 'vitest';
import { Assignment } from '../../../src/kafka/consumer/assignment.ts';
import {
  progressOf,
  findStalledPartition,
  type PartitionProgress,
} from '../../../src/kafka/consumer/partition-progress.ts';

const stalled: PartitionProgress = {
  topic: 'completed',
  partition: 3,
  lag: 1,
  unread: 1,
  uncommitted: 0,
  unsettled: 0,
  pausedBy: undefined,
  oldestUnsettledAt: undefined,
  readAt: undefined,
};
const now = 1_000_000;

describe('findStalledPartition', () => {
  it('names a partition that has records but returns none', () => {
    expect(
      findStalledPartition([{ ...stalled, lag: 0 }, stalled], { now, since: now - 60_001, patienceMs: 60_000 }),
    ).toBe('completed/3 has records and none has come for 60 s');
  });

  it.each<Partial<PartitionProgress>>([
    { lag: 0 },
    { lag: undefined },
    { pausedBy: 'window' },
    { unsettled: 1 },
    { uncommitted: 1 },
    { readAt: now - 1000 },
  ])('ignores a partition with %o', (progress) => {
    expect(findStalledPartition([{ ...stalled, ...progress }], { now, since: 0, patienceMs: 60_000 })).toBeUndefined();
  });

  it('waits after a new assignment', () => {
    expect(findStalledPartition([stalled], { now, since: now - 59_000, patienceMs: 60_000 })).toBeUndefined();
  });
});

describe('the progress of a partition', () => {
  const known = { of: () => ({ records: 40, end: 140 }) };

  it.each([
    { when: 'nothing was read', opened: undefined, received: undefined, lag: 40, unread: 40, uncommitted: 0 },
    { when: 'a part was received', opened: 100, received: 129, lag: 40, unread: 10, uncommitted: 30 },
    { when: 'more came since the brokers were asked', opened: 140, received: 149, lag: 10, unread: 0, uncommitted: 10 },
    { when: 'all was committed since then', opened: 140, received: undefined, lag: 0, unread: 0, uncommitted: 0 },
  ])('counts as lag what is not committed, and what is unread beyond that: $when', ({ opened, received, ...row }) => {
    const { when: _, ...expected } = row;
    const assignment = new Assignment({ completed: [0] });
    const partition = opened === undefined ? undefined : assignment.open('completed', 0, opened);
    if (received !== undefined) partition?.ledger.admit(received);
    expect(progressOf(assignment, known)).toMatchObject([expected]);
  });

  it('says why no partition of a topic is read on, flow control aside, so that none counts as stalled', () => {
    const assignment = new Assignment({ completed: [0, 1], expired: [0] });
    const reasons = (): readonly unknown[] => progressOf(assignment, known).map(({ pausedBy }) => pausedBy);
    expect(reasons()).toEqual([undefined, undefined, undefined]);
    assignment.exclude({ gone: ['completed'], denied: ['expired'] });
    expect(reasons()).toEqual(['topic_missing', 'topic_missing', 'topic_denied']);
    const waiting = progressOf(assignment, known);
    expect(findStalledPartition(waiting, { now, since: 0, patienceMs: 60_000 })).toBeUndefined();
    assignment.exclude({ gone: [], denied: [] });
    assignment.prepareToRevoke();
    expect(reasons()).toEqual(['joining', 'joining', 'joining']);
  });

  it('says that its records wait for the webhook configurations, if it has any', () => {
    const assignment = new Assignment({ completed: [0, 1] });
    assignment.open('completed', 1, 100)?.ledger.admit(100);
    expect(progressOf(assignment, known, true).map(({ pausedBy }) => pausedBy)).toEqual([undefined, 'configurations']);
  });

  it('names the reason for which the partition is paused', () => {
    const assignment = new Assignment({ completed: [0, 1] });
    const paused = assignment.open('completed', 1, 100);
    if (paused !== undefined) paused.pausedBy = 'bytes';
    expect(progressOf(assignment, known)).toMatchObject([{ pausedBy: undefined }, { pausedBy: 'bytes' }]);
  });

  it('is unknown until the brokers have answered', () => {
    const assignment = new Assignment({ completed: [0] });
    assignment.open('completed', 0, 100);
    const unknown = { of: () => undefined };
    expect(progressOf(assignment, unknown)).toMatchObject([{ lag: undefined, unread: undefined }]);
  });
});
