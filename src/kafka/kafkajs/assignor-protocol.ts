import { AssignerProtocol, type Cluster, type GroupMember, type PartitionAssigner } from 'kafkajs';
import type { Assignor, Partitions, Subscriber } from '../client/consumer.ts';

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** Makes kafkajs use the assignor, in the form of Kafka's consumer protocol. */
export function createPartitionAssigner({ protocol: name, instance, assign }: Assignor): PartitionAssigner {
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
  return { memberId, instance: metadata?.userData?.toString() ?? '', topics: metadata?.topics ?? [] };
}

function toMutable(assignment: Partitions): Record<string, number[]> {
  return Object.fromEntries(Object.entries(assignment).map(([topic, partitions]) => [topic, [...partitions]]));
}
