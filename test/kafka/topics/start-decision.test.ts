import { describe, expect, it } from 'vitest';
import { decideStart, type PartitionOffsets } from '../../../src/kafka/topics/start-offsets.ts';
import type { StartPosition } from '../../../src/settings/kinds/kafka-kinds.ts';

const filled: PartitionOffsets = { partition: 0, low: 5, high: 9, committed: undefined };
const emptied: PartitionOffsets = { partition: 1, low: 7, high: 7, committed: undefined };
const committed: PartitionOffsets = { partition: 2, low: 0, high: 4, committed: 0 };

const consumerDefault = { kind: 'default' };
const time: StartPosition = { kind: 'time', at: 1_773_480_414_020 };

describe('where a group begins in a topic', () => {
  it.each<[string, readonly PartitionOffsets[], StartPosition | undefined, unknown]>([
    ['with records and no commit is undecided', [emptied, filled], undefined, { kind: 'undecided' }],
    ['is the latest if that is set', [filled], { kind: 'latest' }, { kind: 'set', at: { kind: 'latest' } }],
    ['is a time if that is set', [filled], time, { kind: 'set', at: time }],
    ['is the default of a consumer if the earliest is set', [filled], { kind: 'earliest' }, consumerDefault],
    ['is left as it is once one partition has a commit', [filled, committed], { kind: 'latest' }, consumerDefault],
    ['needs no decision when it never had records', [{ ...emptied, low: 0, high: 0 }], undefined, consumerDefault],
    ['needs no decision when its records are gone', [emptied], { kind: 'latest' }, consumerDefault],
  ])('%s', (_, partitions, start, decision) => {
    expect(decideStart(partitions, start)).toEqual(decision);
  });
});
