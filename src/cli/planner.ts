import type { Certificate, Decoded } from '../certificates/certificate.ts';
import { createDecoder } from '../certificates/decoder.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { allOf, CertificatePlan } from '../deliveries/plan.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { unlessAborted } from '../lib/aborted.ts';
import type { ServiceContext } from '../service/service-context.ts';
import type { OpenFramedValues } from '../service/schema-registry.ts';
import { startWebhooks, type Webhooks, type WebhooksEvents } from '../service/webhook-directory.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Terminal } from './terminal/terminal.ts';

interface PlannerOptions
  extends Pick<ServiceContext, 'settings' | 'kafka' | 'clock' | 'signal'>, Pick<Terminal, 'err'> {
  /** Disposed with the planner. */
  readonly framed: OpenFramedValues;
}

/**
 * Decodes certificate records and plans their deliveries, for `dead-letters replay`, `redeliver` and `explain`. It uses the
 * functions of the service, so a record gets the deliveries that the service would plan now.
 *
 * Owns the decoder with its schema registry client and, after the first call of `webhooks`, the directory of
 * webhooks. All calls share that directory, which stays current, or the error of reading it. Each command creates one with
 * the tools of `withKafka`, which disposes it.
 *
 * Promises:
 * - `decode` never gives up on a registry that cannot be reached. Only the signal ends the wait, and its reason is
 *   thrown.
 * - `plan` returns no delivery to a webhook of another owner. `redeliver` passes it the webhook of one owner alone.
 * - No plan is made with a configurations topic that was created again, until the service has completed it or somebody accepts it.
 * - Replays of deliveries do not wait for configurations, because they need none.
 * - Events of the service's code are discarded. Only registry failures are printed, as warnings.
 */
export class Planner implements AsyncDisposable {
  readonly #options: PlannerOptions;
  readonly #decoder: ReturnType<typeof createDecoder>;
  #webhooks: Promise<Webhooks> | undefined;

  constructor(options: PlannerOptions) {
    const { settings, framed } = options;
    this.#options = options;
    const eventTypeByTopic = new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType]));
    this.#decoder = createDecoder({ eventTypeByTopic, framed, maxValueBytes: settings.intake.maxRecordBytes });
  }

  /** Reads framed values of any topic. */
  get framed(): OpenFramedValues {
    return this.#options.framed;
  }

  /** Decodes a record. Waits for its schema while the schema registry cannot be reached. */
  async decode(record: SourceRecord): Promise<Decoded> {
    for (let wait = this.#decoder.whenReadable(record); wait !== undefined; wait = this.#decoder.whenReadable(record)) {
      await unlessAborted(this.#options.signal, wait);
    }
    return this.#decoder.decode(record, this.#options.clock.now());
  }

  /** Returns the directory of all webhooks. The first call reads them. */
  webhooks(): Promise<Webhooks> {
    this.#webhooks ??= this.#startWebhooks();
    return this.#webhooks;
  }

  /** Returns a delivery for each of the webhooks that belongs to the certificate's owner and wants the event. */
  plan(record: SourceRecord, certificate: Certificate, webhooks: readonly Webhook[]): readonly Delivery[] {
    const own = webhooks.filter(({ ownerId }) => ownerId === certificate.ownerId);
    return allOf(new CertificatePlan({ record, certificate, webhooks: own, now: this.#options.clock.now() }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.framed[Symbol.dispose]();
    // Thrown here too, an error of `webhooks` would become a `SuppressedError`, and the exit code 1 instead of 2.
    const webhooks = await this.#webhooks?.catch(() => undefined);
    await webhooks?.[Symbol.asyncDispose]();
  }

  async #startWebhooks(): Promise<Webhooks> {
    const { settings, kafka, framed, clock, signal, err } = this.#options;
    err('reading the webhook configurations');
    const events: WebhooksEvents = {
      ...discardedEvents,
      configurationsHeld: ({ topic, found }) =>
        err(`waiting: ${topic} was created again, has ${found} configurations, and is not accepted`),
    };
    return startWebhooks({ settings, events, clock, framed, kafka, signal });
  }
}

const discardedEvents: WebhooksEvents = {
  configurationRefused: () => undefined,
  configurationsReloaded: () => undefined,
  configurationReloadFailed: () => undefined,
  keysReloaded: () => undefined,
  configurationsHeld: () => undefined,
  configurationsReplaced: () => undefined,
  configurationsDuplicated: () => undefined,
  kafkaUnreachable: () => undefined,
  topicsMissing: () => undefined,
};
