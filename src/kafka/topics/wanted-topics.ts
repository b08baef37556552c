import { parseDuration } from '../../lib/duration.ts';
import type { Tier } from './tier.ts';

/** What a topic is for; what the cluster has to provide for it follows from that. */
const topicRoles = ['certificates', 'configurations', 'tier', 'dead_letters'] as const;
export type TopicRole = (typeof topicRoles)[number];

export interface WantedTopics {
  readonly certificates: readonly string[];
  /** Undefined when the configurations come from files. */
  readonly configurations: string | undefined;
  /** The configured ones. */
  readonly tiers: readonly string[];
  /** Every topic `PREFIX.DELAY` is a tier, configured or not. */
  readonly tierPrefix: string;
  readonly deadLetters: string;
  /** `DELIVERY_MAX_AGE`. */
  readonly maxAgeMs: number;
}

/** A topic as the cluster has it; limits as Kafka writes them: -1 is none. */
export interface FoundTopic {
  readonly partitions: number;
  /** Of the partition that has fewest. */
  readonly replicas: number;
  readonly cleanupPolicies: readonly string[];
  readonly retentionMs: number;
  readonly retentionBytes: number;
  readonly maxMessageBytes: number;
  readonly minInsyncReplicas: number;
}

export type FoundTopics = ReadonlyMap<string, FoundTopic>;

/** Every topic that has to be there. */
export function requiredTopics(wanted: WantedTopics): readonly { readonly topic: string; readonly role: TopicRole }[] {
  const { certificates, configurations, tiers, deadLetters } = wanted;
  return [
    ...certificates.map((topic) => ({ topic, role: 'certificates' as const })),
    ...(configurations === undefined ? [] : [{ topic: configurations, role: 'configurations' as const }]),
    ...tiers.map((topic) => ({ topic, role: 'tier' as const })),
    { topic: deadLetters, role: 'dead_letters' },
  ];
}

/** The tiers among all topics of a cluster, retired ones included, the shortest delay first. */
export function tierTopicsIn(topics: readonly string[], prefix: string): readonly Tier[] {
  return topics
    .filter((topic) => topic.startsWith(`${prefix}.`))
    .flatMap((topic) => {
      const label = topic.slice(prefix.length + 1);
      const delayMs = parseDuration(label);
      return delayMs === undefined ? [] : [{ topic, label, delayMs }];
    })
    .toSorted((one, other) => one.delayMs - other.delayMs);
}
