import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../src/cli/command.ts';
import { compareTopics } from '../../src/kafka/topics/topic-comparison.ts';
import { topicsToCreate } from '../../src/kafka/topics/topic-creation.ts';
import type { FoundTopic, WantedTopics } from '../../src/kafka/topics/wanted-topics.ts';
import { wantedTopics } from '../../src/service/configured-topics.ts';
import type { Values } from '../support/helm/helm.ts';
import { startContainer } from '../support/kubernetes/container.ts';
import type { Kinds, Manifest } from '../support/kubernetes/kinds.ts';
import { allOf, onlyOf } from '../support/kubernetes/manifests.ts';
import { podsOf } from '../support/kubernetes/pods.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy, problemsIn, settingsIn, type Deployed } from './deployed.ts';

const settings = { KAFKA_BROKERS: 'kafka:9092' };
const strimzi = { enabled: true, cluster: 'main', namespace: 'kafka' };

async function wantedBy({ container }: Deployed): Promise<WantedTopics> {
  return wantedTopics(await settingsIn(container));
}

/** Returns the topics as Strimzi would create them, with Kafka's defaults for missing settings. */
function madeBy(manifests: readonly Manifest[]): ReadonlyMap<string, FoundTopic> {
  return new Map(
    allOf(manifests, 'KafkaTopic').map(({ metadata, spec }) => [spec.topicName ?? metadata.name ?? '', foundAs(spec)]),
  );
}

function foundAs({ partitions = 1, replicas = 1, config = {} }: Kinds['KafkaTopic']['spec']): FoundTopic {
  return {
    partitions,
    replicas,
    cleanupPolicies: String(config['cleanup.policy'] ?? 'delete').split(','),
    retentionMs: Number(config['retention.ms'] ?? 604_800_000),
    retentionBytes: Number(config['retention.bytes'] ?? -1),
    maxMessageBytes: Number(config['max.message.bytes'] ?? 1_048_588),
    minInsyncReplicas: Number(config['min.insync.replicas'] ?? 1),
    mayElectUncleanly: false,
  };
}

const unusual = {
  CERTIFICATE_TOPICS: 'Done_Certificates=certificate_completed, all',
  RETRY_TOPIC_PREFIX: 'Hooks_again',
  RETRY_DELAYS: ['500ms', '90s', '60m'],
  DEAD_LETTER_TOPIC: 'hooks_dead',
  RESULTS_TOPIC: 'hooks_results',
  WEBHOOK_CONFIGURATIONS: 'kafka:webhooks',
  DELIVERY_MAX_AGE: '2000h',
};

describe('the topics that Strimzi creates', needs('helm'), () => {
  it.each<[about: string, more: Values]>([
    ['the defaults', {}],
    ['other topic names and a long maximum age', unusual],
  ])('are those that the service needs, and pass the check of `topics`: %s', async (_about, more) => {
    const deployed = await deploy({ settings: { ...settings, ...more }, strimzi });
    const wanted = await wantedBy(deployed);
    const found = madeBy(deployed.manifests);
    const compared = compareTopics(wanted, found);
    const findings = compared.flatMap(({ topic, findings: all }) => all.map((finding) => ({ topic, ...finding })));
    // A note tells what the limits of a topic mean, and asks for nothing.
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect([...found.keys()].toSorted()).toEqual(compared.map(({ topic }) => topic).toSorted());
  });

  it('equal those that `topics --create` creates', async () => {
    const deployed = await deploy({ settings: { ...settings, RESULTS_TOPIC: 'hooks.results' }, strimzi });
    const created = topicsToCreate(await wantedBy(deployed), new Map(), 3);
    const strimziMakes = allOf(deployed.manifests, 'KafkaTopic').map(
      ({ spec: { topicName, partitions, replicas, config = {} } }) => ({
        topic: topicName,
        partitions,
        replicationFactor: replicas,
        settings: Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)])),
      }),
    );
    expect(strimziMakes).toEqual(created);
  });

  it('are kept if the release is removed, because records may wait in them', async () => {
    const { manifests } = await deploy({ settings, strimzi });
    for (const { metadata } of allOf(manifests, 'KafkaTopic')) {
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
      expect(metadata.labels).toMatchObject({ 'strimzi.io/cluster': 'main' });
      expect(metadata.namespace).toBe('kafka');
    }
  });

  it('can be a selection, with other settings', async () => {
    const topics = {
      roles: ['tiers', 'deadLetters'],
      partitions: 24,
      replicas: 5,
      config: { tiers: { 'retention.ms': 2_592_000_000, 'segment.bytes': '1' } },
    };
    const { manifests } = await deploy({
      settings: { ...settings, RETRY_DELAYS: '10s' },
      strimzi: { ...strimzi, topics },
    });
    const [tier, dead, ...others] = allOf(manifests, 'KafkaTopic');
    expect(others).toEqual([]);
    expect(tier?.spec).toMatchObject({
      partitions: 24,
      replicas: 5,
      config: { 'retention.ms': 2_592_000_000, 'segment.bytes': '1' },
    });
    expect(dead?.spec.config).toMatchObject({ 'retention.ms': 7_776_000_000 });
  });

  it('do not include one for configurations if those come from files', async () => {
    const outside = { configMaps: { hooks: {} } };
    const { manifests } = await deploy({ settings, strimzi, webhookConfigurations: { configMap: 'hooks' } }, outside);
    const topics = allOf(manifests, 'KafkaTopic').map(({ spec }) => spec.topicName);
    expect(topics).toContain('certificates.completed');
    expect(topics).not.toContain('certificates.webhook-configurations');
  });

  it('have unique names in Kubernetes for any names in Kafka', async () => {
    const topics = ['a_b', 'a-b', 'A-b', 'a.b', '_', `x${'y'.repeat(240)}`, `x${'y'.repeat(239)}Z`, '-1'];
    const { manifests } = await deploy({ settings: { ...settings, CERTIFICATE_TOPICS: topics }, strimzi });
    const names = allOf(manifests, 'KafkaTopic').map(({ metadata }) => metadata.name ?? '');
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
  });
});

describe('the user that Strimzi creates', needs('helm'), () => {
  it('has exactly the permissions that the service needs', async () => {
    const { manifests } = await deploy({ settings: { ...settings, KAFKA_GROUP_ID: 'hooks' }, strimzi });
    const { spec, metadata } = onlyOf(manifests, 'KafkaUser');
    const acls = (spec.authorization?.acls ?? []).map(({ operations, resource }) => [
      `${resource.type} ${resource.name}${resource.patternType === 'prefix' ? '*' : ''}`,
      operations?.toSorted().join(),
    ]);
    expect(Object.fromEntries(acls)).toEqual({
      'topic certificates.completed': 'Describe,DescribeConfigs,Read',
      'topic certificates.expired': 'Describe,DescribeConfigs,Read',
      'topic certificates.webhook-configurations': 'Describe,DescribeConfigs,Read',
      'topic certificate-webhooks.retry.*': 'Describe,DescribeConfigs,Read,Write',
      'topic certificate-webhooks.dead-letter': 'Describe,DescribeConfigs,Read,Write',
      'group hooks*': 'Read',
    });
    expect(metadata.labels).toMatchObject({ 'strimzi.io/cluster': 'main' });
  });

  it('may write results, but not read them', async () => {
    const { manifests } = await deploy({ settings: { ...settings, RESULTS_TOPIC: 'hooks.results' }, strimzi });
    const acls = onlyOf(manifests, 'KafkaUser').spec.authorization?.acls ?? [];
    const own = acls.filter(({ resource }) => resource.name === 'hooks.results');
    expect(own.map(({ operations }) => operations?.toSorted())).toEqual([['Describe', 'DescribeConfigs', 'Write']]);
  });

  it('may write configurations if the commands have to', async () => {
    const { manifests } = await deploy({ settings, strimzi: { ...strimzi, user: { writeConfigurations: true } } });
    const acls = onlyOf(manifests, 'KafkaUser').spec.authorization?.acls ?? [];
    const written = acls.filter(({ operations }) => operations?.includes('Write'));
    const names = [
      'certificates.webhook-configurations',
      'certificate-webhooks.dead-letter',
      'certificate-webhooks.retry.',
    ];
    expect(new Set(written.map(({ resource }) => resource.name))).toEqual(new Set(names));
  });

  it('may create topics if the Job has to', async () => {
    const topicsJob = { enabled: true };
    const { manifests } = await deploy({ settings, topicsJob, strimzi: { ...strimzi, topics: { enabled: false } } });
    const acls = onlyOf(manifests, 'KafkaUser').spec.authorization?.acls ?? [];
    const topics = acls.filter(({ resource }) => resource.type === 'topic');
    expect(topics.every(({ operations }) => operations?.includes('Create'))).toBe(true);
  });

  it('logs in with the Secret that Strimzi creates', async () => {
    const { container, manifests } = await deploy(
      {
        settings: { ...settings, KAFKA_TLS: true, KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'hooks' },
        settingsFrom: { KAFKA_SASL_PASSWORD: { secret: 'hooks', key: 'password' } },
        strimzi: { ...strimzi, namespace: '', user: { name: 'hooks' } },
      },
      { secrets: { hooks: { password: 'hush' } } },
    );
    expect(onlyOf(manifests, 'KafkaUser')).toMatchObject({
      metadata: { name: 'hooks' },
      spec: { authentication: { type: 'scram-sha-512' } },
    });
    expect(await problemsIn(container)).toEqual([]);
  });
});

describe('the topics Job', needs('helm'), () => {
  async function jobOf(values: Values = {}): Promise<Kinds['Job']> {
    return onlyOf((await deploy({ settings, topicsJob: { enabled: true }, ...values })).manifests, 'Job');
  }

  it('creates the missing topics, and ends', async () => {
    const { manifests } = await deploy({ settings, topicsJob: { enabled: true } });
    const job = onlyOf(manifests, 'Job');
    const { args, environment } = startContainer(podsOf(job), manifests);
    expect(parseCommand(args)).toEqual({ kind: 'topics', create: true });
    expect(environment).toEqual({ ...settings, ENDPOINTS_OF: 'hooks-certificate-webhooks:8080' });
    expect(podsOf(job).spec.restartPolicy).toBe('Never');
    expect(job.spec?.activeDeadlineSeconds).toBeGreaterThan(0);
  });

  it('is not a hook, because the pods wait for the topics', async () => {
    expect(Object.keys((await jobOf()).metadata?.annotations ?? {})).toEqual([]);
  });

  it('gets another name if it changes, because a Job is immutable', async () => {
    const first = await jobOf();
    const changes = [{ settings: { ...settings, RETRY_DELAYS: '10s' } }, { image: { tag: '9.9.9' } }];
    for (const change of changes) {
      const other = await jobOf(change);
      expect(other.metadata?.name).not.toBe(first.metadata?.name);
    }
    expect(await jobOf({ replicas: 7, podDisruptionBudget: { enabled: false } })).toEqual(first);
  });
});

describe('`helm test`', needs('helm'), () => {
  it('compares the topics with the settings of the service', async () => {
    const login = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'hooks' };
    const outside = { secrets: { hooks: { KAFKA_SASL_PASSWORD: 'hush' } } };
    const values = { settings: { ...settings, ...login }, existingSecret: 'hooks' };
    const { manifests, container } = await deploy(values, outside);
    const pod = onlyOf(manifests, 'Pod');
    const { args, ...own } = startContainer(podsOf(pod), manifests, outside);
    expect(parseCommand(args)).toEqual({ kind: 'topics', create: false });
    expect({ ...own, args: container.args }).toEqual(container);
    expect(pod.spec?.restartPolicy).toBe('Never');
  });

  it('is a hook that replaces its last pod, and removes one that succeeded', async () => {
    const { manifests } = await deploy({ settings, podAnnotations: { team: 'learning' } });
    expect(onlyOf(manifests, 'Pod').metadata?.annotations).toEqual({
      team: 'learning',
      'helm.sh/hook': 'test',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
  });
});
