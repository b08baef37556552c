import type { Broker, Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';

/** A broker with a method that kafkajs does not declare. */
type Coordinator = Broker & {
  leaveGroup(member: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
};

/** Drops all members of these groups, as a session timeout would. So no test of a killed instance waits for its session. */
export async function dropMembers(kafka: Kafka, groupIds: readonly string[]): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const { groups } = await admin.describeGroups([...groupIds]);
  for (const { groupId, members } of groups)
    for (const { memberId } of members) await dropMember(kafka, groupId, memberId);
}

/** Sends the coordinator a leave request for the member, without its knowledge. */
export async function dropMember(kafka: Kafka, groupId: string, memberId: string): Promise<void> {
  let leave = async (): Promise<void> => undefined;
  const consumer = kafka.consumer({
    groupId,
    partitionAssigners: [
      ({ cluster }) => {
        leave = async () => {
          const coordinator = (await cluster.findGroupCoordinator({ groupId })) as Coordinator;
          await coordinator.leaveGroup({ groupId, memberId });
        };
        return {
          name: 'none',
          version: 0,
          assign: async () => [],
          protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }),
        };
      },
    ],
  });
  await consumer.connect();
  try {
    await leave();
  } finally {
    await consumer.disconnect();
  }
}
