import type { Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';

interface Commit {
  readonly partition: number;
  /** The next offset to read. */
  readonly offset: number;
  readonly metadata: string;
}

/** Commits an offset with metadata, as another member would. The topic must have a record. */
export async function commitOffset(
  kafka: Kafka,
  { group, topic, ...commit }: Commit & { readonly group: string; readonly topic: string },
): Promise<void> {
  const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 50 });
  const committed = Promise.withResolvers<void>();
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async () => {
        const offset = { topic, ...commit, offset: String(commit.offset) };
        await consumer.commitOffsets([offset]).then(committed.resolve, committed.reject);
      },
    });
    await committed.promise;
  } finally {
    await consumer.disconnect();
  }
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
