import { parseDuration } from '../../lib/units.ts';

/** The purposes of topics. Each has its own requirements on the topic's settings. */
export type TopicRole = 'certificates' | 'configurations' | 'tier' | 'dead_letters' | 'results';

export interface WantedTopics {
  readonly certificates: readonly string[];
  /** Undefined when the configurations come from files. */
  readonly configurations: string | undefined;
  readonly tiers: readonly string[];
  /** Prefix of the tiers' names. Every topic `PREFIX.DELAY` is a tier, configured or not. */
  readonly tierPrefix: string;
  readonly deadLetters: string;
  /** Undefined unless results are published. */
  readonly results: string | undefined;
  /** `DELIVERY_MAX_AGE`. */
  readonly maxAgeMs: number;
  /** `RECORD_MAX_BYTES`. */
  readonly maxRecordBytes: number;
}

/** A topic as found in the cluster. A limit of -1 means none, as in Kafka. Undefined: the brokers don't report it. */
export interface FoundTopic {
  readonly partitions: number;
  /** Replicas of the partition with the fewest. */
  readonly replicas: number;
  readonly cleanupPolicies: readonly string[];
  readonly retentionMs: number | undefined;
  readonly retentionBytes: number | undefined;
  readonly maxMessageBytes: number | undefined;
  readonly tombstonesKeptMs?: number | undefined;
  readonly minInsyncReplicas: number | undefined;
  /** True if a replica that lacks acknowledged records may become the leader. */
  readonly mayElectUncleanly: boolean | undefined;
  /** Keys with an older value in another partition. Looked for in the configurations topic alone. */
  readonly keysInTwoPartitions?: number;
}

export type FoundTopics = ReadonlyMap<string, FoundTopic>;

export function requiredTopics(wanted: WantedTopics): readonly { readonly topic: string; readonly role: TopicRole }[] {
  const { certificates, configurations, tiers, deadLetters, results } = wanted;
  return [
    ...certificates.map((topic) => ({ topic, role: 'certificates' as const })),
    ...(configurations === undefined ? [] : [{ topic: configurations, role: 'configurations' as const }]),
    ...tiers.map((topic) => ({ topic, role: 'tier' as const })),
    { topic: deadLetters, role: 'dead_letters' },
    ...(results === undefined ? [] : [{ topic: results, role: 'results' as const }]),
  ];
}

/** Returns the tier whose topic may be missing, because the one before stands in for it: the last one. */
export function dispensableTier(tiers: readonly string[]): string | undefined {
  return tiers.length > 1 ? tiers.at(-1) : undefined;
}

/** Returns the tiers among all topics of a cluster, the shortest delay first. Retired tiers are included. */
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

/** A retry topic with one delay. */
export interface Tier {
  readonly topic: string;
  /** The delay as written in the topic's name, e.g. `10m`. */
  readonly label: string;
  readonly delayMs: number;
}
