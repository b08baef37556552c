import { randomUUID } from 'node:crypto';
import type { Admin, Kafka } from 'kafkajs';
import { connectAdmin } from './client.ts';
import { eventually } from '../time/eventually.ts';

/**
 * Returns a unique name for a topic or group, because tests share a broker. Names are never reused: Kafka deletes topics
 * asynchronously, and a recreated topic may still be the old one.
 */
export function uniqueName(meaning: string): string {
  return `${meaning}.${randomUUID().slice(0, 8)}`;
}

interface WantedTopic {
  readonly topic: string;
  /** The number of partitions; one when left out. */
  readonly partitions?: number;
  /** The number of replicas; the cluster's default when left out. */
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string | number>>;
}

/**
 * Creates topics. Resolves once every broker knows every partition, with a leader and all replicas in sync. The wait of
 * kafkajs is not enough: it asks one broker only. It also fails when a KRaft broker does not know the topic yet.
 */
export async function createTopics(kafka: Kafka, wanted: readonly WantedTopic[]): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.createTopics({
    waitForLeaders: false,
    topics: wanted.map(({ topic, partitions = 1, replicas = -1, settings = {} }) => ({
      topic,
      numPartitions: partitions,
      replicationFactor: replicas,
      // Some tests write records of a fixed day. By default, brokers delete those that are a week old, at any time.
      configEntries: Object.entries({ 'retention.ms': -1, ...settings }).map(([name, value]) => ({
        name,
        value: String(value),
      })),
    })),
  });
  await topicsInSync(kafka, wanted);
}

/** Resolves once all brokers report all replicas in sync, and all leaders answer. */
export async function topicsInSync(
  kafka: Kafka,
  wanted: readonly Pick<WantedTopic, 'topic' | 'partitions'>[],
): Promise<void> {
  await using admin = await connectAdmin(kafka);
  // Each request goes to a random broker, so several good answers in a row are required.
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
    // A known leader may not be active yet. Only an active one returns offsets.
    if (complete) await Promise.all(wanted.map(({ topic }) => admin.fetchTopicOffsets(topic)));
    return complete;
  } catch {
    // The topic is unknown, or has no leader yet.
    return false;
  }
}
