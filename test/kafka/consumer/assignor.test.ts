import fc from 'fast-check';
import { AssignerProtocol } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { Subscriber } from '../../../src/kafka/client/consumer.ts';
import { assign, createAssignor } from '../../../src/kafka/consumer/assignor.ts';
import { createPartitionAssigner } from '../../../src/kafka/kafkajs/create-consumer.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 });
const partitionCounts = fc.integer({ min: 0, max: 60 });

describe('assign', () => {
  it('assigns only subscribed topics, and leaves no partition without a member', () => {
    const old = { memberId: '1', instance: 'a', topics: ['completed', 'old'] };
    const young = { memberId: '2', instance: 'b', topics: ['completed', 'new'] };
    const assignments = assign([old, young], () => [0, 1, 2]);
    expect(assignments.get('1')?.['old']).toEqual([0, 1, 2]);
    expect(assignments.get('1')?.['new']).toBeUndefined();
    expect(assignments.get('2')?.['new']).toEqual([0, 1, 2]);
    expect(assignments.get('2')?.['old']).toBeUndefined();
    expect(sorted([...assignments.values()].flatMap(({ completed = [] }) => completed))).toEqual([0, 1, 2]);
  });

  it('assigns every partition exactly once, and evenly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), partitionCounts, (size, count) => {
        const subscribers = Array.from({ length: size }, (_, index) => subscriber(`m${index}`, `i${index % 4}`, ['t']));
        const assignments = assign(subscribers, () => range(count));
        const assigned = [...assignments.values()].map((topics) => topics['t'] ?? []);
        expect(sorted(assigned.flat())).toEqual(range(count));
        const sizes = assigned.map((partitions) => partitions.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('assigns a partition of every topic to the same instance in each group, whatever happened to them before', () => {
    fc.assert(
      fc.property(names, partitionCounts, fc.integer(), (instances, count, turn) => {
        const certificates = owners(instances, count, ['completed', 'expired']);
        const rotated = instances.map((_, index) => instances.at((index + turn) % instances.length) ?? '');
        expect(owners(rotated, count, ['tier'])['tier']).toEqual(certificates['completed']);
        expect(certificates['expired']).toEqual(certificates['completed']);
      }),
    );
  });

  it('leaves most partitions where they are when an instance joins or leaves', () => {
    const moved = Array.from({ length: 200 }, (_, run) => {
      const before = Array.from({ length: 1 + (run % 10) }, (_unused, index) => `pod-${run}-${index}`);
      const after = [...before, `pod-${run}-new`];
      const least = Math.floor(48 / after.length);
      const moves = countMoves(ownersOf(before, 48), ownersOf(after, 48));
      expect(moves).toBeGreaterThanOrEqual(least);
      return { moves, least };
    });
    const total = (key: 'moves' | 'least'): number => moved.reduce((sum, one) => sum + one[key], 0);
    expect(total('moves')).toBeLessThan(1.5 * total('least'));
  });
});

describe('the assignor', () => {
  it.each([
    ['none', null],
    ['an empty one', Buffer.alloc(0)],
    ['bytes that are no text', Buffer.of(0xff, 0x00, 0xfe)],
  ])('assigns its share to a member whose name is %s', async (_, userData) => {
    const cluster = Object.assign(Object.create(null), {
      findTopicPartitionMetadata: () => range(4).map((partitionId) => ({ partitionId })),
    });
    const assignor = createPartitionAssigner(createAssignor('a'))({
      cluster,
      groupId: 'group',
      logger: Object.create(null),
    });
    const ours = assignor.protocol({ topics: ['t'] }).metadata;
    const theirs = AssignerProtocol.MemberMetadata.encode(Object({ version: 0, topics: ['t'], userData }));
    const members = [
      { memberId: '1', memberMetadata: ours },
      { memberId: '2', memberMetadata: theirs },
    ];
    const assignments = await assignor.assign({ members, topics: ['t'] });
    const decoded = assignments.map(({ memberAssignment }) =>
      AssignerProtocol.MemberAssignment.decode(memberAssignment),
    );
    expect(decoded.map((one) => one?.assignment['t']?.length)).toEqual([2, 2]);
  });
});

function countMoves(before: readonly (string | undefined)[], after: readonly (string | undefined)[]): number {
  return before.filter((owner, partition) => owner !== after[partition]).length;
}

function ownersOf(instances: readonly string[], count: number): readonly (string | undefined)[] {
  return owners(instances, count, ['t'])['t'] ?? [];
}

/** Returns the instance of each partition, by topic. */
function owners(
  instances: readonly string[],
  count: number,
  topics: readonly string[],
): Readonly<Record<string, readonly (string | undefined)[]>> {
  const members = instances.map((instance, index) => subscriber(`${topics.join()}-${index}`, instance, topics));
  const assignments = assign(members, () => range(count));
  const ownerOf = (topic: string, partition: number): string | undefined =>
    members.find(({ memberId }) => assignments.get(memberId)?.[topic]?.includes(partition))?.instance;
  return Object.fromEntries(topics.map((topic) => [topic, range(count).map((partition) => ownerOf(topic, partition))]));
}

function subscriber(memberId: string, instance: string, topics: readonly string[]): Subscriber {
  return { memberId, instance, topics };
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((one, other) => one - other);
}
