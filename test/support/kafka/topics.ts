import { randomUUID } from 'node:crypto';
import type { Admin, Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';
import { eventually } from '../time/eventually.ts';

/**
 * For topics and groups: tests share a broker and never meet. A name is never used again either, because Kafka deletes
 * in its own time, and what is made anew may still be the old one.
 */
export function uniqueName(meaning: string): string {
  return `${meaning}.${randomUUID().slice(0, 8)}`;
}

interface WantedTopic {
  readonly topic: string;
  /** One when left out. */
  readonly partitions?: number;
  /** As many as the cluster likes when left out: all three, or the only one. */
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Resolves once every broker knows every partition, with a leader and all its replicas in sync. The client's own waiting
 * asks one broker only, and gives up on the answer that a KRaft broker has for a topic it is yet to hear of.
 */
export async function createTopics(kafka: Kafka, wanted: readonly WantedTopic[]): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.createTopics({
    waitForLeaders: false,
    topics: wanted.map(({ topic, partitions = 1, replicas = -1, settings = {} }) => ({
      topic,
      numPartitions: partitions,
      replicationFactor: replicas,
      configEntries: Object.entries(settings).map(([name, value]) => ({ name, value: String(value) })),
    })),
  });
  await topicsInSync(kafka, wanted);
}

/** Resolves once all brokers agree that every partition has all its replicas in sync, and every leader is at work. */
export async function topicsInSync(
  kafka: Kafka,
  wanted: readonly Pick<WantedTopic, 'topic' | 'partitions'>[],
): Promise<void> {
  await using admin = await connectAdmin(kafka);
  // Each question goes to a broker chosen at random: so many good answers in a row leave little doubt.
  const enough = 2 * (await admin.describeCluster()).brokers.length - 1;
  let agreed = 0;
  await eventually(`in sync on all brokers: ${wanted.map(({ topic }) => topic).join(', ')}`, async () => {
    agreed = (await areInSync(admin, wanted)) ? agreed + 1 : 0;
    return agreed >= enough;
  });
}

async function areInSync(admin: Admin, wanted: Parameters<typeof topicsInSync>[1]): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
    const found = new Map(topics.map(({ name, partitions }) => [name, partitions]));
    const complete = wanted.every(({ topic, partitions = 1 }) => {
      const inSync = found.get(topic)?.filter((one) => one.leader >= 0 && one.isr.length === one.replicas.length);
      return inSync?.length === partitions;
    });
    // A leader may be known and yet to take up its office; only one that has can tell its offsets.
    if (complete) await Promise.all(wanted.map(({ topic }) => admin.fetchTopicOffsets(topic)));
    return complete;
  } catch {
    // Unknown topic, or no leader yet.
    return false;
  }
}
