import type { Kafka } from 'kafkajs';
import { connectAdmin } from '../../support/kafka/client.ts';

/** Returns the id of the broker that leads the partition. */
export async function leaderOf(kafka: Kafka, topic: string, partition: number): Promise<number> {
  await using admin = await connectAdmin(kafka);
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const leader = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader;
  if (leader === undefined || leader < 0) throw new Error(`Partition ${partition} of ${topic} has no leader.`);
  return leader;
}

/** Returns the id of the broker that coordinates the group: the leader of the partition that stores its commits. */
export async function coordinatorOf(kafka: Kafka, group: string): Promise<number> {
  await using admin = await connectAdmin(kafka);
  const { topics } = await admin.fetchTopicMetadata({ topics: [offsetsTopic] });
  const count = topics[0]?.partitions.length ?? 0;
  return await leaderOf(kafka, offsetsTopic, (javaHash(group) & 0x7fff_ffff) % count);
}

const offsetsTopic = '__consumer_offsets';

/** `String.hashCode` of Java, by which Kafka maps groups to partitions of its offsets topic. */
function javaHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
