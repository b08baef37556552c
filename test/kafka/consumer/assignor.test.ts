import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, type Subscriber } from '../../../src/kafka/consumer/assignor.ts';

describe('assign', () => {
  it('assigns a partition of every topic to the same instance, whatever the ids of its members', () => {
    const certificates = assign(members('completed', 'expired'), () => [0, 1, 2, 3]);
    const tiers = assign(members('tier').toReversed(), () => [0, 1, 2, 3]);
    expect(certificates.get('member-a')).toEqual({ completed: [0, 2], expired: [0, 2] });
    expect(tiers.get('member-a')).toEqual({ tier: [0, 2] });
  });

  it('assigns only subscribed topics, and leaves no partition without a member', () => {
    const old = { memberId: '1', instance: 'a', topics: ['completed', 'old'] };
    const young = { memberId: '2', instance: 'b', topics: ['completed', 'new'] };
    const assignments = assign([old, young], () => [0, 1, 2]);
    expect(assignments.get('1')).toEqual({ completed: [0, 2], old: [0, 1, 2] });
    expect(assignments.get('2')).toEqual({ completed: [1], new: [0, 1, 2] });
  });

  it('assigns every partition exactly once, and evenly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 40 }), (size, count) => {
        const subscribers = Array.from({ length: size }, (_, index) => subscriber(`m${index}`, `i${index % 4}`, ['t']));
        const assignments = assign(subscribers, () => Array.from({ length: count }, (_, partition) => partition));
        const assigned = [...assignments.values()].map((topics) => topics['t'] ?? []);
        expect(assigned.flat().toSorted((one, other) => one - other)).toEqual(
          Array.from({ length: count }, (_, n) => n),
        );
        const sizes = assigned.map((partitions) => partitions.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

function members(...topics: readonly string[]): readonly Subscriber[] {
  return [subscriber('member-a', 'pod-0', topics), subscriber('member-b', 'pod-1', topics)];
}

function subscriber(memberId: string, instance: string, topics: readonly string[]): Subscriber {
  return { memberId, instance, topics };
}
