import type { Kafka } from 'kafkajs';
import { commitWithoutMember, connectAdmin, fetchCommits } from '../topics/topic-admin.ts';

/** A topic as it was when it was last read completely. */
export interface RememberedTopic {
  readonly topic: string;
  /** The id of the topic. A topic that is deleted and created again gets another one. */
  readonly id: string;
  readonly keys: number;
}

/** Remembers a topic beyond the life of the process. */
export interface TopicMemory {
  read(): Promise<RememberedTopic | undefined>;
  write(remembered: RememberedTopic): Promise<void>;
}

interface CommitMemoryOptions {
  readonly kafka: Kafka;
  readonly groupId: string;
  /** The topic whose commit carries the memory. Kafka drops the commits in a topic that is deleted, so it is another one. */
  readonly carrier: string;
}

/**
 * Keeps the memory in the metadata of a commit: of a group that has no members, in partition 0 of another topic. Kafka keeps
 * it for a week after the last write (`offsets.retention.minutes`). It takes no right but `Read` on that group and topic.
 */
export function createCommitMemory({ kafka, groupId, carrier }: CommitMemoryOptions): TopicMemory {
  return {
    async read() {
      await using admin = await connectAdmin(kafka);
      const [answer] = await fetchCommits(admin, groupId, [carrier]);
      return decodeMemory(answer?.partitions.find(({ partition }) => partition === 0)?.metadata ?? '');
    },
    async write(remembered) {
      await using admin = await connectAdmin(kafka);
      // The end of the partition, so that tools show no lag of this group.
      const ends = await admin.fetchTopicOffsets(carrier);
      const offset = ends.find(({ partition }) => partition === 0)?.high ?? '0';
      const commit = { partition: 0, offset, metadata: encodeMemory(remembered) };
      await commitWithoutMember(kafka, groupId, [{ topic: carrier, partitions: [commit] }]);
    },
  };
}

const form = /^k1:(?<keys>\d{1,15})@(?<id>[0-9a-f]{32}) (?<topic>.+)$/v;

export function encodeMemory({ topic, id, keys }: RememberedTopic): string {
  return `k1:${keys}@${id} ${topic}`;
}

/** Reads what `encodeMemory` wrote. Any other text counts as nothing. */
export function decodeMemory(metadata: string): RememberedTopic | undefined {
  const { keys, id, topic } = form.exec(metadata)?.groups ?? {};
  if (keys === undefined || id === undefined || topic === undefined) return undefined;
  return { topic, id, keys: Number(keys) };
}
