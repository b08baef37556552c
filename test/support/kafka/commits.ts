import type { Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';

export interface Commit {
  readonly partition: number;
  /** The next one to read. */
  readonly offset: number;
  readonly metadata: string;
}

/** What a group has committed in a topic, by partition; partitions without a commit are left out. */
export async function committedOffsets(
  kafka: Kafka,
  { group, topic }: { readonly group: string; readonly topic: string },
): Promise<readonly Commit[]> {
  await using admin = await connectAdmin(kafka);
  const [answer] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  const partitions = answer?.partitions ?? [];
  return partitions
    .filter(({ offset }) => Number(offset) >= 0)
    .map(({ partition, offset, metadata }) => ({ partition, offset: Number(offset), metadata: metadata ?? '' }))
    .toSorted((one, other) => one.partition - other.partition);
}
