import type { Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';

interface Commit {
  readonly partition: number;
  /** The next offset to read. */
  readonly offset: number;
  readonly metadata: string;
}

/** Returns the committed offsets of a group in a topic. Partitions without a commit are left out. */
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
