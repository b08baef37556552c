import { describe, expect, it } from 'vitest';
import type { ConsumerHooks } from '../../../../src/kafka/client/consumer.ts';
import type { OffsetManager } from '../../../../src/kafka/kafkajs/internals.ts';
import { reportOutOfRange } from '../../../../src/kafka/kafkajs/repairs/out-of-range.ts';
import { scriptedCluster } from '../scripted.ts';

type Reset = Parameters<ConsumerHooks['offsetReset']>[0];

function readingFrom(offset: string, earliest: string | undefined) {
  const resets: Reset[] = [];
  const hooks: ConsumerHooks = {
    beforeRejoin: () => Promise.resolve(),
    offsetReset: (reset) => void resets.push(reset),
    takeBatch: () => undefined,
  };
  const partitions = earliest === undefined ? [] : [{ partition: 3, offset: earliest }];
  const committed = { a: { 3: offset } };
  const manager: OffsetManager = Object.assign(Object.create(null), {
    cluster: scriptedCluster({ fetchTopicsOffset: () => Promise.resolve([{ topic: 'a', partitions }]) }, hooks),
    resolvedOffsets: { a: { 3: offset } },
    committedOffsets: () => committed,
    nextOffset: () => offset,
  });
  reportOutOfRange(manager);
  return { manager, resets, committed };
}

describe('an offset that is not in the log', () => {
  it('is reported with the skipped range, and reading continues at the earliest record', async () => {
    const { manager, resets, committed } = readingFrom('10', '20');
    await manager.setDefaultOffset({ topic: 'a', partition: 3 });
    expect(resets).toEqual([{ topic: 'a', partition: 3, from: 10, to: 20 }]);
    expect(manager.resolvedOffsets['a']?.[3]).toBe('20');
    expect(committed.a[3]).toBe('20');
  });

  it('stays the position while the earliest offset is not available', async () => {
    const { manager, resets } = readingFrom('10', undefined);
    await expect(manager.setDefaultOffset({ topic: 'a', partition: 3 })).rejects.toThrow('no earliest offset of a/3');
    expect(resets).toEqual([]);
    expect(manager.resolvedOffsets['a']?.[3]).toBe('10');
  });
});
