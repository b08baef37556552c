import { expect, it } from 'vitest';
import type { ConsumerHooks } from '../../../../src/kafka/client/consumer.ts';
import type { RawRecord } from '../../../../src/kafka/kafkajs/internals.ts';
import {
  markUnreadable,
  reportUnreadable,
  UnreadableRecordsError,
} from '../../../../src/kafka/kafkajs/repairs/unreadable-batches.ts';
import { scriptedBatch, scriptedCluster, scriptedGroup } from '../scripted.ts';

const batch = (partition: number, rawMessages: readonly RawRecord[] = []) =>
  scriptedBatch(rawMessages, { partition, fetchedOffset: '7' });

it('a partition that can not be decoded is reported and has no batch, while other partitions have theirs', async () => {
  const reported: unknown[] = [];
  const hooks: ConsumerHooks = {
    beforeRejoin: () => Promise.resolve(),
    offsetReset: () => undefined,
    unreadable: ({ error, ...place }) => void reported.push([place, error.name, error.cause]),
  };
  const damaged: RawRecord[] = [];
  const cause = new Error('damaged');
  markUnreadable(damaged, cause);
  const batches = [batch(0), batch(1, damaged), batch(2)];
  const group = scriptedGroup({ cluster: scriptedCluster({}, hooks), fetch: () => Promise.resolve(batches) });
  reportUnreadable(group);
  expect((await group.fetch('1')).map(({ partition }) => partition)).toEqual([0, 2]);
  expect(reported).toEqual([[{ topic: 't', partition: 1, offset: 7 }, UnreadableRecordsError.name, cause]]);
});
