import { pino } from 'pino';
import type { Certificate, Decoded } from '../certificates/certificate.ts';
import { createDecoder } from '../certificates/decoder.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { plan } from '../deliveries/plan.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { Kafka } from '../kafka/client/kafka-client.ts';
import { unlessAborted } from '../lib/aborted.ts';
import type { Clock } from '../lib/clock.ts';
import { openFramedValues } from '../service/schema-registry.ts';
import { wantedTopics } from '../service/configured-topics.ts';
import { startWebhooks, type Webhooks } from '../service/webhook-directory.ts';
import type { Settings } from '../settings.ts';
import { createEvents } from '../telemetry/events/events.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { registryEvents } from './registry-events.ts';
import { version } from './version.ts';

interface PlannerOptions {
  readonly settings: Settings;
  /** A client for reading. */
  readonly kafka: Kafka;
  readonly clock: Clock;
  /** Takes one line, without its end. */
  readonly err: (line: string) => void;
  readonly signal: AbortSignal;
}

/** From records to deliveries as the service does it, for commands. */
export class Planner implements AsyncDisposable {
  readonly #options: PlannerOptions;
  readonly #decoder: ReturnType<typeof createDecoder>;
  readonly #framed: ReturnType<typeof openFramedValues>;
  #webhooks: Promise<Webhooks> | undefined;

  constructor(options: PlannerOptions) {
    const { settings, clock, err } = options;
    this.#options = options;
    this.#framed = openFramedValues({ settings, events: registryEvents(err), clock });
    const eventTypeByTopic = new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType]));
    this.#decoder = createDecoder({ eventTypeByTopic, framed: this.#framed });
  }

  /** Waits for its schema, for as long as the registry can't be asked. */
  async decode(record: SourceRecord): Promise<Decoded> {
    for (let wait = this.#decoder.whenReadable(record); wait !== undefined; wait = this.#decoder.whenReadable(record)) {
      await unlessAborted(this.#options.signal, wait);
    }
    return this.#decoder.decode(record, this.#options.clock.now());
  }

  /** All webhooks, read with the first call. */
  webhooks(): Promise<Webhooks> {
    this.#webhooks ??= this.#startWebhooks();
    return this.#webhooks;
  }

  /** Deliveries to those of these webhooks that want it and are its owner's. */
  plan(record: SourceRecord, certificate: Certificate, webhooks: readonly Webhook[]): readonly Delivery[] {
    const own = webhooks.filter(({ ownerId }) => ownerId === certificate.ownerId);
    return plan(record, certificate, own, this.#options.clock.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#framed[Symbol.dispose]();
    const webhooks = await this.#webhooks?.catch(() => undefined);
    await webhooks?.[Symbol.asyncDispose]();
  }

  async #startWebhooks(): Promise<Webhooks> {
    const { settings, kafka, clock, signal, err } = this.#options;
    err('reading the webhook configurations');
    const logger = pino({ level: 'silent' });
    const metrics = createMetrics({ version, certificateTopics: wantedTopics(settings).certificates, tiers: [] });
    const events = createEvents({ logger, metrics, clock, tierLabels: [] });
    return startWebhooks({ settings, events, clock, framed: this.#framed, kafka, signal });
  }
}
