import { createDecoder } from '../../../src/certificates/decoder.ts';
import { Attempts } from '../../../src/deliveries/attempts.ts';
import { Gates } from '../../../src/deliveries/gates/gates.ts';
import { createRequestHeads } from '../../../src/deliveries/request.ts';
import { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { tierTopicsIn } from '../../../src/kafka/topics/wanted-topics.ts';
import { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { PipelineEvents } from '../../../src/pipeline/pipeline-events.ts';
import { gatesPolicy } from '../../../src/service/deliveries.ts';
import { createLimits } from '../../../src/service/intakes.ts';
import { configuredTiers } from '../../../src/service/configured-topics.ts';
import type { Webhook } from '../../../src/webhooks/webhook.ts';
import { aRecord } from '../../support/builders.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { aRecordContext } from '../../support/service/record-context.ts';
import { SimulatedClock } from '../time/simulated-clock.ts';
import { MemoryTiers } from './memory-tiers.ts';
import { createEndpoint, type EndpointResponse } from './endpoint.ts';

/** The default of the chart: twelve partitions of six tiers share the limit for retries. */
const tierPartitions = 12 * 6;
const neverRevoked = aRecordContext();

/**
 * The service with its default settings and one subscriber, on a simulated clock. Runs cover days. Kafka is replaced by
 * queues, without brokers, groups or faults.
 */
export class SingleSubscriberService implements Disposable {
  readonly clock = new SimulatedClock();
  readonly startedAt = this.clock.now();
  /** Milliseconds from the start to the delivery, by delivery id. */
  readonly delivered = new Map<string, number>();
  /** The number of dead letters by reason. */
  readonly deadLettered = new Map<string, number>();
  /** The number of deferrals by reason. */
  readonly deferred = new Map<string, number>();
  readonly tiers: MemoryTiers;
  readonly #limits = createLimits(settings, 'first');
  readonly #pipeline: Pipeline;
  readonly #gates: Gates;
  readonly #endpoint: ReturnType<typeof createEndpoint>;
  #held = 0;
  #issued = 0;
  #capacityFreed = Promise.withResolvers<undefined>();

  /** `responseAt` returns the endpoint's response to a request, by milliseconds from the start. */
  constructor(responseAt: (ms: number) => EndpointResponse) {
    const { clock, startedAt } = this;
    this.#endpoint = createEndpoint(clock, (now) => responseAt(now - startedAt));
    this.#gates = new Gates({ policy: gatesPolicy(settings), clock, events: { circuitChanged: () => undefined } });
    const limits = createLimits(settings, 'retry');
    limits.divideAmong(tierPartitions);
    const topics = configuredTiers(settings).map(({ topic }) => topic);
    this.tiers = new MemoryTiers({ topics, intake: () => intake, limits, clock });
    this.#pipeline = this.#createPipeline();
    const intake = new RetryIntake({ pipeline: this.#pipeline, clock, tierOf });
  }

  get requests(): number {
    return this.#endpoint.requests;
  }

  /** Issues certificates for the subscriber as fast as the service reads them. */
  async issue(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      while (this.#limits.isFull({ records: this.#held, recent: 0, bytes: 0, span: 0 }))
        await this.#capacityFreed.promise;
      void this.#handleNext();
    }
  }

  [Symbol.dispose](): void {
    this.#gates[Symbol.dispose]();
  }

  async #handleNext(): Promise<void> {
    const offset = this.#issued;
    this.#issued += 1;
    this.#held += 1;
    const reserved = this.#limits.reserve(0);
    await this.#pipeline.handleCertificate(aRecord({ offset, timestamp: this.clock.now() }), neverRevoked);
    this.#held -= 1;
    this.#limits.release(reserved);
    this.#capacityFreed.resolve(undefined);
    this.#capacityFreed = Promise.withResolvers();
  }

  #createPipeline(): Pipeline {
    const { clock, tiers } = this;
    const directory = { ofOwner: () => [webhook], byId: () => webhook, caughtUp: () => Promise.resolve() };
    const headerSettings = { userAgent: undefined, eventTypeHeader: undefined, deliveryIdHeader: undefined };
    const heads = createRequestHeads(headerSettings);
    const attempts = new Attempts({ directory, gates: this.#gates, http: this.#endpoint, heads, clock });
    return new Pipeline({
      decode: createDecoder({ eventTypeByTopic: new Map([['certificates.completed', 'certificate_completed']]) })
        .decode,
      directory,
      attempts,
      retryPublisher: {
        publishRetry: (delivery, to) => tiers.publishRetry(delivery, to),
        publishDeadLetter: (_delivery, { reason }) => Promise.resolve(this.#countDeadLetter(reason)),
        publishRecordDeadLetter: (_record, { reason }) => Promise.resolve(this.#countDeadLetter(reason)),
      },
      schedule: { delaysMs: settings.retry.delaysMs, maxAgeMs: settings.delivery.maxAgeMs },
      events: this.#events(),
      clock,
    });
  }

  #countDeadLetter<Reason extends string>(reason: Reason): Reason {
    addOne(this.deadLettered, reason);
    return reason;
  }

  #events(): PipelineEvents {
    const nothing = (): void => undefined;
    return {
      recordConsumed: nothing,
      recordSettled: nothing,
      recordRejected: nothing,
      recordFailed: (_record, error) => {
        throw error;
      },
      certificateDeviated: nothing,
      deliveryAttempted: ({ delivery, outcome, endedAt }) => {
        if (outcome.kind === 'delivered') this.delivered.set(delivery.deliveryId, endedAt - this.startedAt);
      },
      deliveryDeferred: ({ reason }) => addOne(this.deferred, reason),
      deliveryUnsubscribed: nothing,
      deliveryDeadLettered: nothing,
    };
  }
}

const settings = defaultSettings();

const webhook: Webhook = {
  id: 'only',
  ownerId: '665f1f77bcf86cd799439000',
  state: 'active',
  wants: () => true,
  endpoint: () => ({
    url: new URL('https://only.example.com/'),
    authentication: { authType: 'none' },
    customHeaders: {},
  }),
};

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function tierOf(topic: string) {
  const [tier] = tierTopicsIn([topic], settings.retry.topicPrefix);
  if (tier === undefined) throw new Error(`${topic} is no tier`);
  return tier;
}
