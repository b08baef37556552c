import type { Kafka } from 'kafkajs';
import { inject } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { createAuthority, type Authority } from '../tls/authority.ts';
import { aCertificateDocument, aConfiguration, json, type Document } from '../builders.ts';
import { startEndpoint, type Endpoint } from '../endpoints/endpoint.ts';
import { quietClient } from '../kafka/client.ts';
import { committedOffsets } from '../kafka/commits.ts';
import { produce, readTopic, type Place, type RecordRead } from '../kafka/records.ts';
import { createTopics, uniqueName } from '../kafka/topics.ts';
import { writeTemporaryFiles } from '../files/temporary-files.ts';
import { longTimeouts } from './long-timeouts.ts';
import { environmentOf, topicNames, type TopicNames } from './topic-names.ts';

export interface PlatformOptions {
  /** Brokers without TLS for the topics; the shared ones of the test run when left out. */
  readonly brokers?: readonly string[];
  /** The partitions of the certificate topics and the tiers; one when left out. */
  readonly partitions?: number;
  readonly delays?: readonly string[];
  /** True for a results topic, with as many partitions. */
  readonly results?: boolean;
  /** Settings of the topics, such as `max.message.bytes`. */
  readonly settings?: Partial<Readonly<Record<'certificates' | 'tiers' | 'deadLetters', TopicSettings>>>;
  /** Variables that override those of the platform. */
  readonly environment?: Environment;
}

type TopicSettings = Readonly<Record<string, string | number>>;

/** Everything around the service in one test: its own topics and an endpoint. */
export interface Platform extends AsyncDisposable {
  readonly kafka: Kafka;
  readonly authority: Authority;
  readonly endpoint: Endpoint;
  /** The environment for the service. */
  readonly environment: Environment;
  readonly topics: TopicNames;
  /** Writes configurations. Resolves once they are acknowledged. */
  configure(...documents: readonly Document[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** Writes values to the topic of completed certificates. */
  complete(...values: readonly Value[]): Promise<readonly Place[]>;
  /** Writes values to the topic of expired certificates. */
  expire(...values: readonly Value[]): Promise<readonly Place[]>;
  tier(delay: string): Promise<readonly RecordRead[]>;
  /** Resolves with what the service has committed in the topic of completed certificates. */
  commits(): ReturnType<typeof committedOffsets>;
  deadLetters(): Promise<readonly RecordRead[]>;
  results(): Promise<readonly RecordRead[]>;
}

type Value = Document | Buffer | null;

const defaultDelays = ['300ms', '600ms'];

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  await using stack = new AsyncDisposableStack();
  const { delays = defaultDelays, results = false } = options;
  const { brokers = inject('kafka') } = options;
  const kafka = quietClient(brokers);
  const topics = topicNames(uniqueName('test'), delays);
  await createTopics(kafka, wantedTopics(topics, options));
  const authority = createAuthority();
  const endpoint = stack.use(await startEndpoint({ identity: authority.issue() }));
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const owned = stack.move();
  return {
    kafka,
    authority,
    endpoint,
    topics,
    environment: {
      ...environmentOf(topics, brokers),
      ...longTimeouts,
      CERTIFICATE_START: 'earliest',
      HTTP_PORT: '0',
      LOG_LEVEL: 'debug',
      ...(results ? { RESULTS_TOPIC: topics.results } : {}),
      DELIVERY_CA_FILE: files.path('authority.pem'),
      DELIVERY_ALLOWED_PORTS: '1-65535',
      ...options.environment,
    },
    configure: async (...documents) => {
      const records = documents.map((document) => ({ key: String(document['_id']), value: json(document) }));
      await produce(kafka, topics.configurations, records);
    },
    remove: async (id) => void (await produce(kafka, topics.configurations, [{ key: id, value: null }])),
    complete: (...values) => produce(kafka, topics.completed, values.map(recordOf)),
    expire: (...values) => produce(kafka, topics.expired, values.map(recordOf)),
    commits: () => committedOffsets(kafka, { group: topics.group, topic: topics.completed }),
    tier: (delay) => readTopic(kafka, `${topics.tierPrefix}.${delay}`),
    deadLetters: () => readTopic(kafka, topics.deadLetters),
    results: () => readTopic(kafka, topics.results),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export { longTimeouts };

/** Returns the names of both consumer groups of the service. */
export function groupsOf({ environment }: Pick<Platform, 'environment'>): readonly string[] {
  const group = String(environment['KAFKA_GROUP_ID']);
  return [group, `${group}.retry`];
}

/** Builds a webhook configuration that points at a path of the platform's endpoint. */
export function webhookAt({ endpoint }: Platform, path: string, overrides: Document = {}): Document {
  return aConfiguration({ _id: `hook-of-${path.slice(1)}`, url: endpoint.url(path), ...overrides });
}

/** Builds certificates that differ only in their id. */
export function certificates(count: number, overrides: Document = {}): readonly Document[] {
  return Array.from({ length: count }, (_, index) =>
    aCertificateDocument({ _id: `certificate-${String(index).padStart(6, '0')}`, ...overrides }),
  );
}

function wantedTopics(
  topics: TopicNames,
  { partitions = 1, results = false, settings = {} }: PlatformOptions,
): Parameters<typeof createTopics>[1] {
  return [
    ...[topics.completed, topics.expired].map((topic) => ({
      topic,
      partitions,
      settings: settings.certificates ?? {},
    })),
    ...topics.tiers.map((topic) => ({ topic, partitions, settings: settings.tiers ?? {} })),
    { topic: topics.deadLetters, settings: settings.deadLetters ?? {} },
    ...(results ? [{ topic: topics.results, partitions }] : []),
    { topic: topics.configurations, settings: { 'cleanup.policy': 'compact' } },
  ];
}

function recordOf(value: Value): { readonly key: string; readonly value: Buffer | null } {
  return { key: 'owner', value: value === null || Buffer.isBuffer(value) ? value : json(value) };
}
