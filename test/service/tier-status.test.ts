import { describe, expect, it } from 'vitest';
import type { PartitionProgress } from '../../src/kafka/consumer/partition-progress.ts';
import { tierStatuses, type TierStatusOptions } from '../../src/service/tier-status.ts';

const quiet: PartitionProgress = {
  topic: 'retry.10s',
  partition: 0,
  lag: 0,
  unread: 0,
  uncommitted: 0,
  unsettled: 0,
  paused: false,
  oldestUnsettledAt: undefined,
  readAt: undefined,
};

const parts: TierStatusOptions = {
  configured: ['retry.1h', 'retry.10s'],
  prefix: 'retry',
  partitions: [quiet, { ...quiet, topic: 'certificates.completed', unread: 1000 }],
  held: new Map(),
};

describe('what waits in a tier', () => {
  it('is what is held and what is not read yet, of the partitions that are here', () => {
    const partitions = [
      { ...quiet, unread: 7 },
      { ...quiet, partition: 1, unread: 30 },
    ];
    const held = new Map([['retry.10s', { records: 5, nextDueAt: 99 }]]);
    expect(tierStatuses({ ...parts, partitions, held })[0]).toEqual({
      topic: 'retry.10s',
      label: '10s',
      isConfigured: true,
      partitions: 2,
      waiting: 42,
      nextDueAt: 99,
    });
  });

  it('is not known until the brokers were asked for each of them', () => {
    const partitions = [quiet, { ...quiet, partition: 1, unread: undefined }];
    expect(tierStatuses({ ...parts, partitions })[0]).toMatchObject({ label: '10s', waiting: undefined });
  });

  it('is told of tiers without partitions here, and of those that are no longer configured', () => {
    const partitions = [...parts.partitions, { ...quiet, topic: 'retry.10m', unread: 3 }];
    expect(tierStatuses({ ...parts, partitions })).toMatchObject([
      { label: '10s', isConfigured: true, partitions: 1, waiting: 0 },
      { label: '10m', isConfigured: false, partitions: 1, waiting: 3 },
      { label: '1h', isConfigured: true, partitions: 0, waiting: 0 },
    ]);
  });
});
