import { describe, expect, it } from 'vitest';
import { compareTopics, topicsSuffice } from '../../../src/kafka/topics/topic-comparison.ts';
import { topicsToCreate } from '../../../src/kafka/topics/topic-creation.ts';
import { tierTopicsIn, type FoundTopic, type WantedTopics } from '../../../src/kafka/topics/wanted-topics.ts';

const hourMs = 3_600_000;

const wanted: WantedTopics = {
  certificates: ['completed', 'expired'],
  configurations: 'configurations',
  tiers: ['retry.10s', 'retry.10m'],
  tierPrefix: 'retry',
  results: undefined,
  deadLetters: 'dead',
  maxAgeMs: 72 * hourMs,
  maxRecordBytes: 1_048_588,
};

const certificates: FoundTopic = {
  partitions: 12,
  replicas: 3,
  cleanupPolicies: ['delete'],
  retentionMs: 168 * hourMs,
  retentionBytes: -1,
  maxMessageBytes: 1_048_588,
  minInsyncReplicas: 2,
  mayElectUncleanly: false,
};
const tier: FoundTopic = { ...certificates, retentionMs: 336 * hourMs, maxMessageBytes: 1_048_588 + 65_536 };

const withResults: WantedTopics = { ...wanted, results: 'results' };
const results: FoundTopic = { ...certificates, retentionMs: 336 * hourMs };

const good = new Map<string, FoundTopic>([
  ['completed', certificates],
  ['expired', certificates],
  ['configurations', { ...certificates, partitions: 1, cleanupPolicies: ['compact'] }],
  ['retry.10s', tier],
  ['retry.10m', tier],
  ['dead', { ...tier, maxMessageBytes: 1_048_588 + 131_072 }],
]);

/** Returns the findings on a topic that differs in this way from a good one. */
function findingsOf(topic: string, difference: Partial<FoundTopic>): readonly string[] {
  const found = new Map(good).set(topic, { ...(good.get(topic) ?? results), ...difference });
  const report = compareTopics(withResults, found).find((one) => one.topic === topic);
  return (report?.findings ?? []).map(({ severity, remedy }) => `${severity}: ${remedy}`);
}

const setCompact = 'wrong: set cleanup.policy=compact';
const keepLonger = 'set retention.ms to DELIVERY_MAX_AGE and the longest outage to survive';

describe('comparing topics', () => {
  it('finds nothing in topics that meet all requirements', () => {
    const reports = compareTopics(wanted, good);
    expect(reports.map(({ topic, role }) => `${topic} ${role}`)).toEqual([
      'completed certificates',
      'expired certificates',
      'configurations configurations',
      'retry.10s tier',
      'retry.10m tier',
      'dead dead_letters',
    ]);
    expect(reports.flatMap(({ findings }) => findings)).toEqual([]);
    expect(topicsSuffice(reports)).toBe(true);
  });

  it('requires no configurations topic when configurations come from files', () => {
    const reports = compareTopics({ ...wanted, configurations: undefined }, good);
    expect(reports.map(({ role }) => role)).not.toContain('configurations');
  });

  it('reports each topic as missing that does not exist', () => {
    const reports = compareTopics(wanted, new Map());
    expect(reports.map(({ findings }) => findings.map(({ severity }) => severity))).toEqual(
      reports.map(() => ['missing']),
    );
    expect(topicsSuffice(reports)).toBe(false);
  });

  it.each<[string, string, Partial<FoundTopic>, readonly string[]]>([
    [
      'compacted certificates',
      'completed',
      { cleanupPolicies: ['compact'] },
      ['warning: set cleanup.policy=delete, unless no key repeats'],
    ],
    ['configurations that expire', 'configurations', { cleanupPolicies: ['delete'] }, [setCompact]],
    ['configurations that also expire', 'configurations', { cleanupPolicies: ['compact', 'delete'] }, [setCompact]],
    [
      'tombstones that do not outlast an outage',
      'configurations',
      { tombstonesKeptMs: 6 * hourMs - 1 },
      ['warning: set delete.retention.ms=86400000'],
    ],
    ['a compacted tier', 'retry.10s', { cleanupPolicies: ['compact', 'delete'] }, ['wrong: set cleanup.policy=delete']],
    ['compacted dead letters', 'dead', { cleanupPolicies: ['compact'] }, ['wrong: set cleanup.policy=delete']],
    ['a retention below the greatest age', 'retry.10m', { retentionMs: 72 * hourMs - 1 }, [`wrong: ${keepLonger}`]],
    ['a retention that survives no outage', 'dead', { retentionMs: 72 * hourMs }, [`warning: ${keepLonger}`]],
    ['no limit of retention', 'retry.10m', { retentionMs: -1 }, []],
    ['a retention by size', 'retry.10m', { retentionBytes: 1e9 }, ['warning: set retention.bytes=-1']],
    [
      'room for certificates without their envelope',
      'retry.10s',
      { maxMessageBytes: 1_048_588 + 65_535 },
      ['wrong: set max.message.bytes=1114124'],
    ],
    [
      'room for less than the headers of a record and ours',
      'dead',
      { maxMessageBytes: 1_048_588 + 131_071 },
      ['wrong: set max.message.bytes=1179660'],
    ],
    [
      'one replica',
      'completed',
      { replicas: 1, minInsyncReplicas: 1 },
      ['warning: reassign it to 3 replicas', 'warning: set min.insync.replicas=2'],
    ],
    [
      'leaders that lack records',
      'retry.10s',
      { mayElectUncleanly: true },
      ['warning: set unclean.leader.election.enable=false'],
    ],
    [
      'settings that the brokers do not report',
      'retry.10s',
      {
        retentionMs: undefined,
        retentionBytes: undefined,
        maxMessageBytes: undefined,
        minInsyncReplicas: undefined,
        mayElectUncleanly: undefined,
      },
      ["warning: look at the brokers' own tools for them"],
    ],
  ])('finds the right differences for %s', (_, topic, difference, findings) => {
    expect(findingsOf(topic, difference)).toEqual(findings);
  });

  it('compares the tiers with the largest certificate topic', () => {
    const found = new Map(good).set('expired', { ...certificates, maxMessageBytes: 9_000_000 });
    const remedies = compareTopics(wanted, found).flatMap(({ findings }) => findings.map(({ remedy }) => remedy));
    expect(remedies).toEqual([
      'raise RECORD_MAX_BYTES, or lower max.message.bytes',
      ...Array(2).fill('set max.message.bytes=9065536'),
      'set max.message.bytes=9131072',
    ]);
  });

  it('notes topics that take less than a certificate may have after decompression', () => {
    const reports = compareTopics({ ...wanted, maxRecordBytes: 1_150_000 }, good);
    const notes = reports.flatMap(({ topic, findings }) => findings.map(({ problem }) => `${topic} ${problem}`));
    expect(notes).toEqual([
      expect.stringMatching(/^completed .* of 1150000 bytes, more than retry.10s, retry.10m take/),
      expect.stringMatching(/^expired /),
    ]);
    expect(topicsSuffice(reports)).toBe(true);
  });

  it('notes a retired tier without counting it as a difference', () => {
    const reports = compareTopics(wanted, new Map(good).set('retry.1h', tier));
    expect(reports.at(-1)).toMatchObject({ topic: 'retry.1h', findings: [{ severity: 'note' }] });
    expect(topicsSuffice(reports)).toBe(true);
  });
});

describe('the tiers among all topics', () => {
  it('are those whose name ends in a delay, shortest first', () => {
    const topics = 'retry.10m retry.250ms retry.24h retry.x retry. retry retry.10m.old dead aretry.1s';
    expect(tierTopicsIn(topics.split(' '), 'retry')).toEqual([
      { topic: 'retry.250ms', label: '250ms', delayMs: 250 },
      { topic: 'retry.10m', label: '10m', delayMs: 600_000 },
      { topic: 'retry.24h', label: '24h', delayMs: 24 * hourMs },
    ]);
  });
});

describe('a results topic', () => {
  it.each<[about: string, difference: Partial<FoundTopic>, expected: readonly string[]]>([
    ['good', {}, []],
    ['kept for ever', { retentionMs: -1 }, []],
    ['compacted', { cleanupPolicies: ['compact', 'delete'] }, ['warning: set cleanup.policy=delete']],
    [
      'kept for less than a day',
      { retentionMs: 23 * hourMs },
      ['warning: set retention.ms to the longest outage of its consumers'],
    ],
    ['too small for long ids', { maxMessageBytes: 65_535 }, ['wrong: set max.message.bytes=65536']],
    ['without replicas', { replicas: 1 }, ['warning: reassign it to 3 replicas']],
  ])('that is %s has the findings for that', (_about, difference, expected) => {
    expect(findingsOf('results', difference)).toEqual(expected);
  });

  it('is missing if it is wanted, and is created with as many partitions as the certificate topics', () => {
    const reports = compareTopics(withResults, good);
    expect(reports.at(-1)).toMatchObject({ topic: 'results', role: 'results', findings: [{ severity: 'missing' }] });
    expect(topicsSuffice(reports)).toBe(false);
    const settings = { 'cleanup.policy': 'delete', 'retention.ms': String(336 * hourMs), 'min.insync.replicas': '2' };
    expect(topicsToCreate(withResults, good, 3)).toEqual([
      { topic: 'results', partitions: 12, replicationFactor: 3, settings },
    ]);
  });
});

describe('topics to create', () => {
  it('are all of them in an empty cluster', () => {
    const creations = topicsToCreate(wanted, new Map(), 3);
    const tierSettings = {
      'cleanup.policy': 'delete',
      'retention.ms': String(336 * hourMs),
      'retention.bytes': '-1',
      'max.message.bytes': '1114124',
      'min.insync.replicas': '2',
    };
    expect(creations.map(({ topic, partitions, settings }) => [topic, partitions, settings])).toEqual([
      ['completed', 12, { 'cleanup.policy': 'delete', 'min.insync.replicas': '2' }],
      ['expired', 12, { 'cleanup.policy': 'delete', 'min.insync.replicas': '2' }],
      ['configurations', 1, { 'cleanup.policy': 'compact', 'min.insync.replicas': '2' }],
      ['retry.10s', 12, tierSettings],
      ['retry.10m', 12, tierSettings],
      ['dead', 12, { ...tierSettings, 'retention.ms': String(90 * 24 * hourMs), 'max.message.bytes': '1179660' }],
    ]);
    expect(new Set(creations.map(({ replicationFactor }) => replicationFactor))).toEqual(new Set([3]));
  });

  it('have as many partitions as the largest certificate topic, and room for its records', () => {
    const found = new Map([
      ['completed', { ...certificates, partitions: 24, maxMessageBytes: 5_000_000 }],
      ['expired', { ...certificates, partitions: 3 }],
    ]);
    const made = topicsToCreate(wanted, found, 3).find(({ topic }) => topic === 'retry.10s');
    expect(made).toMatchObject({ partitions: 24, settings: { 'max.message.bytes': '5065536' } });
  });

  it('get fewer replicas on fewer brokers', () => {
    const [made] = topicsToCreate(wanted, new Map(), 1);
    expect(made).toMatchObject({ replicationFactor: 1, settings: { 'min.insync.replicas': '1' } });
  });

  it('outlast a greater age, and pass the comparison', () => {
    const patient = { ...wanted, maxAgeMs: 30 * 24 * hourMs };
    const made = topicsToCreate(patient, new Map(), 3).find(({ topic }) => topic === 'retry.10s');
    expect(made?.settings['retention.ms']).toBe(String(37 * 24 * hourMs));
  });
});
