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

/** As the chart has it: that many partitions of six tiers share what may be held of retries. */
const tierPartitions = 12 * 6;
const neverOver = aRecordContext();

/** The service with its default settings and one subscriber, for days; of Kafka there is only what it keeps. */
export class SingleSubscriberService implements Disposable {
  readonly clock = new SimulatedClock();
  readonly startedAt = this.clock.now();
  readonly delivered = new Map<string, number>();
  /** Dead letters, by reason. */
  readonly deadLettered = new Map<string, number>();
  /** How often a delivery was put off, by reason. */
  readonly deferred = new Map<string, number>();
  readonly tiers: MemoryTiers;
  readonly #limits = createLimits(settings, 'first');
  readonly #pipeline: Pipeline;
  readonly #gates: Gates;
  readonly #endpoint: ReturnType<typeof createEndpoint>;
  #held = 0;
  #made = 0;
  #eased = Promise.withResolvers<undefined>();

  /** `responseAt`: how the endpoint answers, by milliseconds since the start. */
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

  /** Certificates for the subscriber, as fast as they can be taken in. */
  async issue(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      while (this.#limits.isFull({ records: this.#held, recent: 0, bytes: 0, span: 0 })) await this.#eased.promise;
      void this.#take();
    }
  }

  [Symbol.dispose](): void {
    this.#gates[Symbol.dispose]();
  }

  async #take(): Promise<void> {
    const offset = this.#made;
    this.#made += 1;
    this.#held += 1;
    const taken = this.#limits.take(0);
    await this.#pipeline.handleCertificate(aRecord({ offset, timestamp: this.clock.now() }), neverOver);
    this.#held -= 1;
    this.#limits.release(taken);
    this.#eased.resolve(undefined);
    this.#eased = Promise.withResolvers();
  }

  #createPipeline(): Pipeline {
    const { clock, tiers } = this;
    const directory = { ofOwner: () => [webhook], byId: () => webhook, caughtUp: () => Promise.resolve() };
    const headings = { userAgent: undefined, eventTypeHeader: undefined, deliveryIdHeader: undefined };
    const heads = createRequestHeads(headings);
    const attempts = new Attempts({ directory, gates: this.#gates, http: this.#endpoint, heads, clock });
    return new Pipeline({
      decode: createDecoder({ eventTypeByTopic: new Map([['certificates.completed', 'certificate_completed']]) })
        .decode,
      directory,
      attempts,
      retryPublisher: {
        publishRetry: (delivery, to) => tiers.schedule(delivery, to),
        publishDeadLetter: (_delivery, { reason }) => Promise.resolve(this.#bury(reason)),
        publishRecordDeadLetter: (_record, { reason }) => Promise.resolve(this.#bury(reason)),
      },
      schedule: { delaysMs: settings.retry.delaysMs, maxAgeMs: settings.delivery.maxAgeMs },
      events: this.#events(),
      clock,
    });
  }

  #bury<Reason extends string>(reason: Reason): Reason {
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
  id: 'lone',
  ownerId: '665f1f77bcf86cd799439000',
  state: 'active',
  wants: () => true,
  endpoint: () => ({
    url: new URL('https://lone.example.com/'),
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
