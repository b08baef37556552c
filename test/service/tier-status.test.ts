import { describe, expect, it } from 'vitest';
import type { PartitionProgress } from '../../src/kafka/consumer/partition-progress.ts';
import { tierStatuses, type TierStatusOptions } from '../../src/service/status-report.ts';

const idlePartition: PartitionProgress = {
  topic: 'retry.10s',
  partition: 0,
  lag: 0,
  unread: 0,
  uncommitted: 0,
  unsettled: 0,
  pausedBy: undefined,
  oldestUnsettledAt: undefined,
  readAt: undefined,
};

const options: TierStatusOptions = {
  configured: ['retry.1h', 'retry.10s'],
  prefix: 'retry',
  partitions: [idlePartition, { ...idlePartition, topic: 'certificates.completed', unread: 1000 }],
  held: new Map(),
};

describe('the waiting records of a tier', () => {
  it('are those held and those not read yet, of the assigned partitions', () => {
    const partitions = [
      { ...idlePartition, unread: 7 },
      { ...idlePartition, partition: 1, unread: 30 },
    ];
    const held = new Map([['retry.10s', { records: 5, nextDueAt: 99 }]]);
    expect(tierStatuses({ ...options, partitions, held })[0]).toEqual({
      topic: 'retry.10s',
      label: '10s',
      isConfigured: true,
      partitions: 2,
      waiting: 42,
      nextDueAt: 99,
    });
  });

  it('are unknown until the brokers have answered for each partition', () => {
    const partitions = [idlePartition, { ...idlePartition, partition: 1, unread: undefined }];
    expect(tierStatuses({ ...options, partitions })[0]).toMatchObject({ label: '10s', waiting: undefined });
  });

  it('are shown for tiers without an assigned partition, and for tiers that are no longer configured', () => {
    const partitions = [...options.partitions, { ...idlePartition, topic: 'retry.10m', unread: 3 }];
    expect(tierStatuses({ ...options, partitions })).toMatchObject([
      { label: '10s', isConfigured: true, partitions: 1, waiting: 0 },
      { label: '10m', isConfigured: false, partitions: 1, waiting: 3 },
      { label: '1h', isConfigured: true, partitions: 0, waiting: 0 },
    ]);
  });
});
