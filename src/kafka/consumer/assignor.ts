import { hash } from 'node:crypto';
import type { Assignor, Partitions, Subscriber } from '../client/consumer.ts';

/** The protocol of the groups. It never changes, because members with different protocols cannot form one group. */
const protocolName = 'certificate-webhooks-1';

/**
 * Assigns the partitions of every topic by the names of the instances alone. So all groups of the same instances assign
 * partition *p* of topics with as many partitions to the same instance. First attempts and retries of an owner then run
 * in one process. A member gets only topics that it subscribed to, which the assignor of kafkajs does not ensure
 * (github.com/tulios/kafkajs/issues/1602).
 */
export function assign(
  members: readonly Subscriber[],
  partitionsOf: (topic: string) => readonly number[],
): ReadonlyMap<string, Partitions> {
  const assignments = new Map<string, Record<string, number[]>>(members.map(({ memberId }) => [memberId, {}]));
  for (const topic of new Set(members.flatMap(({ topics }) => topics))) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic));
    for (const { partition, memberId } of distribute(partitionsOf(topic), subscribers)) {
      const assigned = assignments.get(memberId);
      if (assigned !== undefined) (assigned[topic] ??= []).push(partition);
    }
  }
  return assignments;
}

interface PartitionClaim {
  readonly partition: number;
  readonly memberId: string;
  readonly weight: string;
}

/**
 * Distributes partitions by rendezvous hashing. Each pair of a partition and an instance has a weight of its own, and the
 * heaviest pairs win. So most partitions stay when an instance joins or leaves. Numbers of partitions differ by at most one.
 */
function distribute(partitions: readonly number[], subscribers: readonly Subscriber[]): readonly PartitionClaim[] {
  const share = Math.floor(partitions.length / subscribers.length);
  let extras = partitions.length % subscribers.length;
  const owned = new Set<number>();
  const counts = new Map<string, number>();
  const claims = partitions.flatMap((partition) =>
    subscribers.map(({ memberId, instance }) => ({
      partition,
      memberId,
      weight: hash('sha256', `${partition}/${instance}`),
    })),
  );
  const granted = claims.toSorted(byWeight).filter(({ partition, memberId }) => {
    const count = counts.get(memberId) ?? 0;
    if (owned.has(partition) || count > share || (count === share && extras === 0)) return false;
    if (count === share) extras -= 1;
    owned.add(partition);
    counts.set(memberId, count + 1);
    return true;
  });
  return granted.toSorted((one, other) => one.partition - other.partition);
}

function byWeight(one: PartitionClaim, other: PartitionClaim): number {
  return compare(one.weight, other.weight) || compare(one.memberId, other.memberId);
}

/** Creates the assignor. `instance` is the name of this process, the same in each group that it joins. */
export function createAssignor(instance: string): Assignor {
  return { protocol: protocolName, instance, assign };
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
