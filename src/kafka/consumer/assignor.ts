import { AssignerProtocol, type Cluster, type GroupMember, type PartitionAssigner } from 'kafkajs';

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** The group's protocol: a group whose members disagree on it must be stopped as a whole, so it never changes. */
const name = 'certificate-webhooks-1';

/** A member of a group, with the name of its process. */
export interface Subscriber {
  readonly memberId: string;
  readonly instance: string;
  readonly topics: readonly string[];
}

/** Partitions by topic, by member. */
export type Assignments = ReadonlyMap<string, Readonly<Record<string, readonly number[]>>>;

/**
 * Deals partition *p* of every topic to the same instance, in every group that the same instances form: an owner's
 * first attempts and retries then meet in one process. A member gets topics it subscribed to and no others, which
 * kafkajs's own assigner does not see to (github.com/tulios/kafkajs/issues/1602).
 */
export function assign(
  members: readonly Subscriber[],
  partitionsOf: (topic: string) => readonly number[],
): Assignments {
  const inOrder = members.toSorted(
    (one, other) => compare(one.instance, other.instance) || compare(one.memberId, other.memberId),
  );
  const assignments = new Map<string, Record<string, number[]>>(members.map(({ memberId }) => [memberId, {}]));
  for (const topic of new Set(members.flatMap(({ topics }) => topics))) {
    const subscribers = inOrder.filter(({ topics }) => topics.includes(topic));
    for (const partition of partitionsOf(topic)) {
      const subscriber = subscribers[partition % subscribers.length];
      const assigned = subscriber && assignments.get(subscriber.memberId);
      if (assigned !== undefined) (assigned[topic] ??= []).push(partition);
    }
  }
  return assignments;
}

/** The assigner as kafkajs wants it. `instance` is this process's name, the same in every group it joins. */
export function createAssignor(instance: string): PartitionAssigner {
  return ({ cluster }: { cluster: Cluster }) => ({
    name,
    version: 0,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version: 0, topics, userData: Buffer.from(instance) }),
    }),
    assign: async ({ members, topics }) => {
      const subscribers = members.map(toSubscriber);
      const known = new Set(topics);
      for (const { topics: wanted } of subscribers) {
        for (const topic of wanted) if (!known.has(topic)) await cluster.addTargetTopic(topic);
      }
      const assignments = assign(subscribers, (topic) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
      );
      return [...assignments].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: 0,
          assignment: toMutable(assignment),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function toSubscriber({ memberId, memberMetadata }: GroupMember): Subscriber {
  const metadata = MemberMetadata.decode(memberMetadata);
  return { memberId, instance: metadata?.userData.toString() ?? '', topics: metadata?.topics ?? [] };
}

function toMutable(assignment: Readonly<Record<string, readonly number[]>>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(assignment).map(([topic, partitions]) => [topic, [...partitions]]));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
