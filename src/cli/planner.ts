import type { Certificate, Decoded } from '../certificates/certificate.ts';
import { createDecoder } from '../certificates/decoder.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { allOf, CertificatePlan } from '../deliveries/plan.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { Kafka } from '../kafka/client/kafka-client.ts';
import { unlessAborted } from '../lib/aborted.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenFramedValues } from '../service/schema-registry.ts';
import {
  configurationsMemory,
  startWebhooks,
  type Webhooks,
  type WebhooksEvents,
} from '../service/webhook-directory.ts';
import type { Settings } from '../settings.ts';
import type { Webhook } from '../webhooks/webhook.ts';

interface PlannerOptions {
  readonly settings: Settings;
  /** A client with the purpose `reading`. */
  readonly kafka: Kafka;
  /** Disposed with the planner. */
  readonly framed: OpenFramedValues;
  readonly clock: Clock;
  /** Prints one line. The text has no line break. */
  readonly err: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Decodes certificate records and plans their deliveries, for `dead-letters replay` and `redeliver`. It uses the
 * functions of the service, so a record gets the deliveries that the service would plan now.
 *
 * Owns the decoder with its schema registry client and, after the first call of `webhooks`, the directory of
 * webhooks:
 *
 * | state    | entered by                  | then                                                         |
 * | -------- | --------------------------- | ------------------------------------------------------------ |
 * | unloaded | constructor                 | `decode` and `plan` work; no configuration is read           |
 * | loading  | first call of `webhooks`    | prints one line; all callers wait for the same promise       |
 * | loaded   | directory is complete       | every call returns the same directory, which stays current   |
 * | failed   | reading the webhooks failed | every call rejects with the same error, and the command ends |
 * | disposed | end of `withKafka`          | closes the registry client and the directory                 |
 *
 * Each command creates one with the tools of `withKafka`, which disposes it. Replays call `decode`, `webhooks` and
 * `plan` for dead letters of records only. `redeliver` looks up its webhook once, then calls `decode` and `plan` for
 * every record in its time range.
 *
 * Promises:
 * - `decode` never gives up on a registry that cannot be reached. Only the signal ends the wait, and its reason is
 *   thrown.
 * - `plan` returns no delivery to a webhook of another owner.
 * - No plan is made with a configurations topic that was created again, until it is filled or accepted.
 * - Events of the service's code are discarded. Only registry failures are printed, as warnings.
 *
 * Removing one of these causes:
 * - Without the owner filter in `plan`, `redeliver` sends certificates of other owners to its webhook.
 * - Without the lazy start, replays of deliveries wait for all configurations although they need none.
 * - Without the `catch` in the disposal, an error of `webhooks` is thrown twice and becomes a `SuppressedError`. Then
 *   unusable files end the command with exit code 1 instead of 2.
 */
export class Planner implements AsyncDisposable {
  readonly #options: PlannerOptions;
  readonly #decoder: ReturnType<typeof createDecoder>;
  #webhooks: Promise<Webhooks> | undefined;

  constructor(options: PlannerOptions) {
    const { settings, framed } = options;
    this.#options = options;
    const eventTypeByTopic = new Map(settings.certificates.topics.map(({ topic, eventType }) => [topic, eventType]));
    this.#decoder = createDecoder({ eventTypeByTopic, framed });
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
    const webhooks = await this.#webhooks?.catch(() => undefined);
    await webhooks?.[Symbol.asyncDispose]();
  }

  async #startWebhooks(): Promise<Webhooks> {
    const { settings, kafka, framed, clock, signal, err } = this.#options;
    err('reading the webhook configurations');
    const events: WebhooksEvents = {
      ...discardedEvents,
      configurationsHeld: ({ topic, found, expected }) =>
        err(`waiting: ${topic} was created again and holds ${found} of ${expected} configurations`),
    };
    // Only the service writes to it, because a command may read another topic.
    const memory = { ...configurationsMemory({ settings, admin: kafka }), write: () => Promise.resolve() };
    return startWebhooks({ settings, events, clock, framed, kafka, signal, memory });
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
