import { createDecoder, type Decoder } from '../certificates/decoder.ts';
import { Attempts } from '../deliveries/attempts.ts';
import type { Gates } from '../deliveries/gates/gates.ts';
import { createHttpClient, type HttpClient } from '../deliveries/http/http-client.ts';
import { proxyOrigin } from '../deliveries/http/proxy.ts';
import { createRequestHeads } from '../deliveries/request.ts';
import { lingerMs } from '../kafka/producer/batch.ts';
import { createRetryPublisher, type KafkaRetryPublisher } from '../kafka/producer/retry-publisher.ts';
import { Pipeline } from '../pipeline/pipeline.ts';
import { createClient, type KafkaLogin } from './kafka-clients.ts';
import type { ServiceContext } from './service-context.ts';
import { freshSecret } from './fresh-secret.ts';
import { configuredTiers } from './configured-topics.ts';
import type { Webhooks } from './webhook-directory.ts';

interface DeliveryOptions extends Pick<ServiceContext, 'settings' | 'logger' | 'framed' | 'events' | 'clock'> {
  /** The login of the connection that writes retries and dead letters. */
  readonly login: KafkaLogin;
  readonly gates: Gates;
  readonly webhooks: Webhooks;
}

export interface Deliveries {
  readonly decoder: Decoder;
  readonly pipeline: Pipeline;
  readonly attempts: Attempts;
  readonly retryPublisher: KafkaRetryPublisher;
}

/**
 * Builds the pipeline and its dependencies, and hands them to the stack. The stack closes the HTTP client, then the retry
 * publisher, then the Kafka client that it writes with.
 */
export function buildDeliveries(options: DeliveryOptions, stack: AsyncDisposableStack): Deliveries {
  const { settings, events, clock, gates, webhooks, framed } = options;
  const retryPublisher = stack.use(openRetryPublisher(options, stack));
  const http = stack.use(openHttpClient(options));
  const { userAgent, eventTypeHeader, idHeader: deliveryIdHeader } = settings.delivery;
  const heads = createRequestHeads({ userAgent, eventTypeHeader, deliveryIdHeader });
  const attempts = new Attempts({ directory: webhooks, gates, http, heads, clock });
  const eventTypeByTopic = new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType]));
  const decoder = createDecoder({ eventTypeByTopic, framed });
  const pipeline = new Pipeline({
    decode: decoder.decode,
    directory: webhooks,
    attempts,
    retryPublisher,
    schedule: { delaysMs: settings.retry.delaysMs, maxAgeMs: settings.delivery.maxAgeMs },
    events,
    clock,
  });
  return { decoder, pipeline, attempts, retryPublisher };
}

function openRetryPublisher(options: DeliveryOptions, stack: AsyncDisposableStack): KafkaRetryPublisher {
  const { settings, logger, login, events, clock } = options;
  return createRetryPublisher({
    kafka: stack.use(createClient('writing', settings, logger, login)),
    tiers: configuredTiers(settings),
    deadLetterTopic: settings.deadLetters.topic,
    compression: settings.handoff.compression,
    events,
    clock,
    random: Math.random,
    lingerMs: lingerMs(Math.min(...settings.retry.delaysMs)),
  });
}

function openHttpClient({ settings, events, clock }: DeliveryOptions): HttpClient {
  const { delivery, egress } = settings;
  const { proxyUrl } = egress;
  if (proxyUrl !== undefined) events.egressDelegated({ proxy: proxyOrigin(proxyUrl.value) });
  return createHttpClient({
    timeoutMs: delivery.timeoutMs,
    connectTimeoutMs: delivery.connectTimeoutMs,
    maxIdleConnections: delivery.maxIdleConnections,
    allowedPorts: egress.allowedPorts,
    allowedNetworks: egress.allowedNetworks,
    certificateAuthorities: egress.certificateAuthorities === undefined ? [] : [egress.certificateAuthorities],
    proxyUrl: proxyUrl && freshSecret('DELIVERY_PROXY_URL', proxyUrl),
    events,
    clock,
  });
}
