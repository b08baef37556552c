import { AssignerProtocol, type Cluster, type GroupMember, type PartitionAssigner } from 'kafkajs';

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** The protocol of the groups. It never changes, because members with different protocols cannot form one group. */
const protocolName = 'certificate-webhooks-1';

export interface Subscriber {
  readonly memberId: string;
  /** Name of its process. */
  readonly instance: string;
  readonly topics: readonly string[];
}

/** Partitions by topic, by the member's id. */
type Assignments = ReadonlyMap<string, Readonly<Record<string, readonly number[]>>>;

/**
 * Assigns partition *p* of every topic to the same instance, in every group that the same instances form. First attempts
 * and retries of an owner then run in one process. A member gets only topics that it subscribed to, which the assignor
 * of kafkajs does not ensure (github.com/tulios/kafkajs/issues/1602).
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

/** Creates the assignor for kafkajs. `instance` is the name of this process, the same in each group that it joins. */
export function createAssignor(instance: string): PartitionAssigner {
  return ({ cluster }: { cluster: Cluster }) => ({
    name: protocolName,
    version: 0,
    protocol: ({ topics }) => ({
      name: protocolName,
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
