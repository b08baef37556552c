import {
  requiredTopics,
  tierTopicsIn,
  type FoundTopic,
  type FoundTopics,
  type TopicRole,
  type WantedTopics,
} from './wanted-topics.ts';

/** A difference between a topic and the requirements (`missing`, `wrong`) or the recommendations (`warning`). */
interface TopicFinding {
  readonly severity: 'missing' | 'wrong' | 'warning' | 'note';
  readonly problem: string;
  readonly remedy: string;
}

export interface TopicReport {
  readonly topic: string;
  readonly role: TopicRole;
  readonly findings: readonly TopicFinding[];
}

/** Room in bytes for the envelope of a certificate, which is smaller. A record's dead letter also has the record's headers. */
export const ownBytes = { tier: 64 * 1024, dead_letters: 128 * 1024 } as const;
export type KeptRole = keyof typeof ownBytes;

/** Upper limit in bytes of a record in the results topic. Its ids have 1,024 bytes at most, and JSON escapes some of them. */
export const resultBytes = 64 * 1024;

const dayMs = 24 * 3_600_000;

/**
 * Returns the record size in bytes that such a topic has to accept: the largest certificate with what we add. Undefined if no
 * certificate topic was found.
 */
export function requiredBytes(role: KeptRole, wanted: WantedTopics, found: FoundTopics): number | undefined {
  const limits = wanted.certificates.flatMap((topic) => found.get(topic)?.maxMessageBytes ?? []);
  return limits.length === 0 ? undefined : Math.max(...limits) + ownBytes[role];
}

/** Reports on every required topic, then on the tiers that still exist but are no longer configured. */
export function compareTopics(wanted: WantedTopics, found: FoundTopics): readonly TopicReport[] {
  const required = requiredTopics(wanted).map(({ topic, role }) => {
    const existing = found.get(topic);
    if (existing === undefined) return { topic, role, findings: [missing] };
    return { topic, role, findings: [...check(role, existing, wanted, found), ...unreported(existing)] };
  });
  const retired = tierTopicsIn([...found.keys()], wanted.tierPrefix)
    .filter(({ topic }) => !wanted.tiers.includes(topic))
    .map(({ topic }) => ({ topic, role: 'tier' as const, findings: [retiredTier] }));
  return [...required, ...retired];
}

/** Returns true if the service can work with the topics. Warnings and notes do not prevent it. */
export function topicsSuffice(reports: readonly TopicReport[]): boolean {
  const findings = reports.flatMap((report) => report.findings);
  return findings.every(({ severity }) => severity === 'warning' || severity === 'note');
}

const missing: TopicFinding = { severity: 'missing', problem: 'is missing', remedy: 'topics --create makes it' };

const retiredTier: TopicFinding = {
  severity: 'note',
  problem: 'is no configured tier: it is read, not written',
  remedy: 'delete it once its lag is 0, if it is to stay retired',
};

function check(role: TopicRole, topic: FoundTopic, wanted: WantedTopics, found: FoundTopics): readonly TopicFinding[] {
  switch (role) {
    case 'certificates':
      return [
        ...compactedCertificates(topic),
        ...largeCertificates(topic, wanted),
        ...decompressedCertificates(wanted, found),
        ...durability(topic),
      ];
    case 'configurations':
      return [...expiringConfigurations(topic), ...keysInTwoPartitions(topic), ...durability(topic)];
    case 'tier':
    case 'dead_letters':
      return [
        ...compacted(topic),
        ...retentionTime(topic.retentionMs, wanted.maxAgeMs),
        ...retentionSize(topic.retentionBytes),
        ...messageBytes(topic, requiredBytes(role, wanted, found)),
        ...durability(topic),
      ];
    case 'results':
      return [...compactedResults(topic), ...shortResults(topic), ...smallResults(topic), ...durability(topic)];
  }
}

/** Some brokers that speak Kafka's protocol report fewer settings. What they do can't be checked then. */
function unreported(topic: FoundTopic): readonly TopicFinding[] {
  const settings = [
    ['retention.ms', topic.retentionMs],
    ['retention.bytes', topic.retentionBytes],
    ['max.message.bytes', topic.maxMessageBytes],
    ['min.insync.replicas', topic.minInsyncReplicas],
    ['unclean.leader.election.enable', topic.mayElectUncleanly],
  ] as const;
  const names = settings.flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (names.length === 0) return [];
  const problem = `has settings that the brokers don't report: ${names.join(', ')}`;
  return [{ severity: 'warning', problem, remedy: "look at the brokers' own tools for them" }];
}

/**
 * Returns why a tier may lose retries before they are due. `wrong`: it does. A warning: it does once it has too many bytes.
 */
export function lossesOf(tier: FoundTopic, maxAgeMs: number): readonly TopicFinding[] {
  const late = retentionTime(tier.retentionMs, maxAgeMs).filter(({ severity }) => severity === 'wrong');
  return [...compacted(tier), ...late, ...retentionSize(tier.retentionBytes)];
}

function compactedCertificates({ cleanupPolicies }: FoundTopic): readonly TopicFinding[] {
  if (!cleanupPolicies.includes('compact')) return [];
  const problem = 'is compacted: of certificates with the same key, only the last is sure to be read';
  return [{ severity: 'warning', problem, remedy: 'set cleanup.policy=delete, unless no key repeats' }];
}

function largeCertificates({ maxMessageBytes }: FoundTopic, { maxRecordBytes }: WantedTopics): readonly TopicFinding[] {
  if (maxMessageBytes === undefined || maxMessageBytes <= maxRecordBytes) return [];
  const problem = `takes records of ${maxMessageBytes} bytes; those with a larger value than RECORD_MAX_BYTES become dead letters`;
  return [{ severity: 'warning', problem, remedy: 'raise RECORD_MAX_BYTES, or lower max.message.bytes' }];
}

function decompressedCertificates(wanted: WantedTopics, found: FoundTopics): readonly TopicFinding[] {
  const { tiers, deadLetters, maxRecordBytes } = wanted;
  const small = [...tiers, deadLetters].filter(
    (topic) => (found.get(topic)?.maxMessageBytes ?? Infinity) < maxRecordBytes,
  );
  if (small.length === 0) return [];
  const problem = `may have compressed certificates of ${maxRecordBytes} bytes, more than ${small.join(', ')} take: zstd is tried there, then their value is lost`;
  return [{ severity: 'note', problem, remedy: 'raise max.message.bytes there, or lower RECORD_MAX_BYTES' }];
}

function keysInTwoPartitions({ keysInTwoPartitions: keys = 0, partitions }: FoundTopic): readonly TopicFinding[] {
  if (keys === 0) return [];
  const problem = `has ${partitions} partitions, and ${keys} keys with an older value in another one`;
  const remedy = 'keep tombstones (delete.retention.ms), or move to a new topic: "Grow the configurations topic"';
  return [{ severity: 'warning', problem, remedy }];
}

function expiringConfigurations({ cleanupPolicies, tombstonesKeptMs = dayMs }: FoundTopic): readonly TopicFinding[] {
  if (cleanupPolicies.join() !== 'compact') {
    const problem = `has cleanup.policy=${cleanupPolicies.join()}: configurations expire`;
    return [{ severity: 'wrong', problem, remedy: 'set cleanup.policy=compact' }];
  }
  if (tombstonesKeptMs >= dayMs / 4) return [];
  const problem = `keeps tombstones ${hours(tombstonesKeptMs)}: an instance that is cut off for longer may miss removals`;
  return [{ severity: 'warning', problem, remedy: 'set delete.retention.ms=86400000' }];
}

function compacted({ cleanupPolicies }: FoundTopic): readonly TopicFinding[] {
  if (!cleanupPolicies.includes('compact')) return [];
  const problem = 'is compacted: deliveries of one owner replace each other';
  return [{ severity: 'wrong', problem, remedy: 'set cleanup.policy=delete' }];
}

function compactedResults({ cleanupPolicies }: FoundTopic): readonly TopicFinding[] {
  if (!cleanupPolicies.includes('compact')) return [];
  const problem = 'is compacted: of each webhook, only the last result is sure to be read';
  return [{ severity: 'warning', problem, remedy: 'set cleanup.policy=delete' }];
}

function shortResults({ retentionMs }: FoundTopic): readonly TopicFinding[] {
  if (retentionMs === undefined || retentionMs === -1 || retentionMs >= dayMs) return [];
  const problem = `keeps records ${hours(retentionMs)}: a consumer that is away for a day misses some`;
  return [{ severity: 'warning', problem, remedy: 'set retention.ms to the longest outage of its consumers' }];
}

function smallResults({ maxMessageBytes }: FoundTopic): readonly TopicFinding[] {
  if (maxMessageBytes === undefined || maxMessageBytes >= resultBytes) return [];
  const problem = `takes records of ${maxMessageBytes} bytes; results with long ids may be larger, and are waited for`;
  return [{ severity: 'wrong', problem, remedy: `set max.message.bytes=${resultBytes}` }];
}

function retentionTime(retentionMs: number | undefined, maxAgeMs: number): readonly TopicFinding[] {
  if (retentionMs === undefined || retentionMs === -1 || retentionMs >= maxAgeMs + dayMs) return [];
  const remedy = 'set retention.ms to DELIVERY_MAX_AGE and the longest outage to survive';
  if (retentionMs < maxAgeMs)
    return [{ severity: 'wrong', problem: `keeps records ${hours(retentionMs)}, less than DELIVERY_MAX_AGE`, remedy }];
  const problem = `keeps records ${hours(retentionMs)}: an outage of a day loses some`;
  return [{ severity: 'warning', problem, remedy }];
}

function retentionSize(retentionBytes: number | undefined): readonly TopicFinding[] {
  if (retentionBytes === undefined || retentionBytes === -1) return [];
  const problem = `keeps ${retentionBytes} bytes a partition, however young its records`;
  return [{ severity: 'warning', problem, remedy: 'set retention.bytes=-1' }];
}

function messageBytes({ maxMessageBytes }: FoundTopic, bytes: number | undefined): readonly TopicFinding[] {
  if (bytes === undefined || maxMessageBytes === undefined || maxMessageBytes >= bytes) return [];
  const problem = `takes records of ${maxMessageBytes} bytes; certificates with their envelope may be larger`;
  return [{ severity: 'wrong', problem, remedy: `set max.message.bytes=${bytes}` }];
}

function durability({ replicas, minInsyncReplicas, mayElectUncleanly }: FoundTopic): readonly TopicFinding[] {
  const few = `has ${replicas === 1 ? 'one replica' : `${replicas} replicas`}`;
  const unsure = `takes a write as safe with min.insync.replicas=${minInsyncReplicas}`;
  return [
    ...(replicas < 3 ? [{ severity: 'warning', problem: few, remedy: 'reassign it to 3 replicas' } as const] : []),
    ...(minInsyncReplicas !== undefined && minInsyncReplicas < 2
      ? [{ severity: 'warning', problem: unsure, remedy: 'set min.insync.replicas=2' } as const]
      : []),
    ...(mayElectUncleanly === true ? [uncleanElection] : []),
  ];
}

/** The offsets of lost records are given to new ones, which a consumer that had read the lost ones skips (KIP-320). */
const uncleanElection: TopicFinding = {
  severity: 'warning',
  problem: 'may lose acknowledged records, and have new ones skipped, with unclean.leader.election.enable=true',
  remedy: 'set unclean.leader.election.enable=false',
};

function hours(ms: number): string {
  return `${Math.floor(ms / 3_600_000)} h`;
}
