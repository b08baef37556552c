import { ownBytes, requiredBytes, type KeptRole } from './topic-comparison.ts';
import { requiredTopics, type FoundTopics, type TopicRole, type WantedTopics } from './wanted-topics.ts';

export interface TopicCreation {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly settings: Readonly<Record<string, string>>;
}

const dayMs = 24 * 3_600_000;
/** Partitions of a new certificate topic. They bound how many instances can share the reading of it. */
const certificatePartitions = 12;
/** Kafka's default limit of a record batch in bytes. Certificate topics created here have it. */
const defaultMessageBytes = 1_048_588;

/** Returns the missing topics, with their settings for a cluster of that many brokers. */
export function topicsToCreate(wanted: WantedTopics, found: FoundTopics, brokers: number): readonly TopicCreation[] {
  const replicationFactor = Math.min(3, brokers);
  return requiredTopics(wanted)
    .filter(({ topic }) => !found.has(topic))
    .map(({ topic, role }) => ({
      topic,
      partitions: role === 'configurations' ? 1 : partitionsOf(role, wanted, found),
      replicationFactor,
      settings: { 'min.insync.replicas': String(Math.min(2, replicationFactor)), ...settingsOf(role, wanted, found) },
    }));
}

/** Gives tiers as many partitions as the certificate topics. One instance then reads an owner's partition of both. */
function partitionsOf(role: TopicRole, wanted: WantedTopics, found: FoundTopics): number {
  if (role === 'certificates') return certificatePartitions;
  return Math.max(...wanted.certificates.map((topic) => found.get(topic)?.partitions ?? certificatePartitions));
}

function settingsOf(role: TopicRole, wanted: WantedTopics, found: FoundTopics): Readonly<Record<string, string>> {
  switch (role) {
    case 'certificates':
      return { 'cleanup.policy': 'delete' };
    case 'configurations':
      return { 'cleanup.policy': 'compact' };
    case 'tier':
    case 'dead_letters':
      return retainedFor(role, wanted, found);
    case 'results':
      return { 'cleanup.policy': 'delete', 'retention.ms': String(14 * dayMs) };
  }
}

function retainedFor(role: KeptRole, wanted: WantedTopics, found: FoundTopics): Readonly<Record<string, string>> {
  const retentionMs = (role === 'tier' ? 14 : 90) * dayMs;
  const messageBytes = requiredBytes(role, wanted, found) ?? defaultMessageBytes + ownBytes[role];
  return {
    'cleanup.policy': 'delete',
    // A longer DELIVERY_MAX_AGE needs more than the usual retention, and room for an outage.
    'retention.ms': String(Math.max(retentionMs, wanted.maxAgeMs + 7 * dayMs)),
    'retention.bytes': '-1',
    'max.message.bytes': String(messageBytes),
  };
}
