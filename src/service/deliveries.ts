import { createDecoder, type Decoder } from '../certificates/decoder.ts';
import { Attempts } from '../pipeline/running-delivery.ts';
import type { GateEvents, Gates } from '../flow/gates.ts';
import { CertificateWatch } from '../deliveries/certificate-watch.ts';
import { lingerMs } from '../kafka/producer/batch.ts';
import { KafkaResultPublisher } from '../kafka/producer/result-publisher.ts';
import { KafkaRetryPublisher } from '../kafka/producer/retry-publisher.ts';
import type { TopicWriter } from '../kafka/producer/topic-writer.ts';
import { TierWatch } from '../kafka/topics/tier-watch.ts';
import { Pipeline } from '../pipeline/pipeline.ts';
import { createClient, type KafkaLogin } from './kafka-clients.ts';
import { countResultPartitions } from './cluster.ts';
import type { ServiceContext } from './service-context.ts';
import { createDeliveryClient, createConfiguredHeads } from './delivery-client.ts';
import { configuredTiers } from './configured-topics.ts';
import type { Webhooks } from './webhook-directory.ts';

interface DeliveryOptions extends ServiceContext {
  /** The login of the connection that writes retries and dead letters. */
  readonly login: KafkaLogin;
  readonly gates: Gates;
  /** The list that the gates call. The publisher of results is added to it. */
  readonly listeners: GateEvents[];
  readonly webhooks: Webhooks;
}

export interface Deliveries {
  readonly decoder: Decoder;
  readonly pipeline: Pipeline;
  readonly attempts: Attempts;
  readonly certificates: CertificateWatch;
  /** Undefined without a results topic. */
  readonly results: KafkaResultPublisher | undefined;
  readonly tierWatch: TierWatch;
  readonly writers: readonly TopicWriter[];
  /** Returns a sentence for each topic that is not written to, or refuses writes. */
  readonly problems: () => readonly string[];
}

/**
 * Builds the pipeline and its dependencies, and hands them to the stack. The stack closes the HTTP client, then the
 * publishers, then the Kafka client that they write with.
 */
export async function buildDeliveries(options: DeliveryOptions, stack: AsyncDisposableStack): Promise<Deliveries> {
  const { settings, events, clock, gates, webhooks, framed } = options;
  const partitions = await countResultPartitions(options);
  const kafka = stack.use(createClient('writing', settings, options.logger, options.login));
  const publishing = {
    kafka,
    compression: settings.handoff.compression,
    events,
    clock,
    random: Math.random,
    lingerMs: lingerMs(Math.min(...settings.retry.delaysMs)),
  };
  const tiers = configuredTiers(settings);
  const { maxAgeMs } = settings.delivery;
  const topics = tiers.map(({ topic }) => topic);
  const tierWatch = stack.use(new TierWatch({ kafka: options.admin, tiers: topics, maxAgeMs, events, clock }));
  const deadLetterTopic = settings.deadLetters.topic;
  const retryPublisher = stack.use(new KafkaRetryPublisher({ ...publishing, tiers, tierWatch, deadLetterTopic }));
  const { topic: resultsTopic, include } = settings.results;
  const owe = retryPublisher.publishOwedResult.bind(retryPublisher);
  const results =
    resultsTopic === undefined || partitions === undefined
      ? undefined
      : stack.use(new KafkaResultPublisher({ ...publishing, topic: resultsTopic, partitions, owe }));
  if (results !== undefined) options.listeners.push(results);
  const http = stack.use(createDeliveryClient({ settings, events, clock }));
  const heads = createConfiguredHeads(settings);
  const certificates = new CertificateWatch({
    http,
    clock,
    listeners: [events, ...(results === undefined ? [] : [results])],
  });
  const attempts = new Attempts({ directory: webhooks, gates, http, heads, clock, certificates });
  const eventTypeByTopic = new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType]));
  const decoder = createDecoder({ eventTypeByTopic, framed, maxValueBytes: settings.intake.maxRecordBytes });
  const pipeline = new Pipeline({
    decode: decoder.decode,
    directory: webhooks,
    attempts,
    retryPublisher,
    results,
    recordResults: include.includes('records') ? results : undefined,
    schedule: { delaysMs: settings.retry.delaysMs, maxAgeMs },
    events,
    clock,
  });
  return {
    decoder,
    pipeline,
    attempts,
    certificates,
    results,
    tierWatch,
    writers: [...retryPublisher.writers, ...(results === undefined ? [] : [results.writer])],
    problems: () => [
      ...tierWatch.problems(),
      ...[...retryPublisher.failingTopics(), ...(results?.failingTopics() ?? [])].map((topic) => `writes to ${topic}`),
    ],
  };
}
