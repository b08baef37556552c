import type { SettledBefore } from './assignment.ts';
import { decodeSettled, type SettledRange } from './settled-offsets.ts';
import { connectAdmin, type AdminFactory } from './topic-admin.ts';

/**
 * Asks for the group's commits in these topics, and reads from their metadata what is settled above them. Nobody else
 * commits for partitions that are assigned to us, so the answer holds until we do.
 */
export async function readSettledBefore(
  kafka: AdminFactory,
  groupId: string,
  topics: readonly string[],
): Promise<SettledBefore> {
  const ranges = new Map<string, readonly SettledRange[]>();
  await using admin = await connectAdmin(kafka);
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
    for (const { partition, offset, metadata } of partitions) {
      ranges.set(`${topic}/${partition}`, decodeSettled(Number(offset), metadata ?? ''));
    }
  }
  return (topic, partition) => ranges.get(`${topic}/${partition}`) ?? [];
}
