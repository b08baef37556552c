import { createDecoder } from '../../../src/certificates/decoder.ts';
import { Attempts } from '../../../src/pipeline/running-delivery.ts';
import { Gates } from '../../../src/flow/gates.ts';
import { createRequestHeads, type InFlight, type Sender } from '../../../src/deliveries/request.ts';
import { RetryIntake } from '../../../src/kafka/consumer/retry-intake.ts';
import { tierTopicsIn } from '../../../src/kafka/topics/wanted-topics.ts';
import { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { RecordRun, type PartitionFlow } from '../../../src/flow/partition.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { PipelineEvents } from '../../../src/pipeline/ports.ts';
import { FlowControl } from '../../../src/flow/flow-control.ts';
import { flowLimits, gatesPolicy, maxStartsPerTurn } from '../../../src/flow/limits.ts';
import { StartTurns } from '../../../src/flow/turns.ts';
import { configuredTiers } from '../../../src/service/configured-topics.ts';
import type { Environment, Settings } from '../../../src/settings.ts';
import type { Webhook, WebhookLimits } from '../../../src/webhooks/webhook.ts';
import { aRecord } from '../../support/builders.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { aHeldRecordContext } from '../../support/service/record-context.ts';
import { SimulatedClock } from '../time/simulated-clock.ts';
import { MemoryTiers, type OnWrite } from './memory-tiers.ts';
import type { RequestOutcome } from '../../../src/deliveries/outcome.ts';
import type { Clock } from '../../../src/lib/clock.ts';

interface Variations {
  /** Settings other than the default ones. */
  readonly environment?: Environment;
  readonly limits?: WebhookLimits;
  /** Called for each delivery that is written to a tier. */
  readonly onWrite?: OnWrite;
}

/** The default of the chart: twelve partitions of six tiers share the limit for retries. */
const tierPartitions = 12 * 6;

/**
 * The service with its default settings, or others, and one subscriber, on a simulated clock. Runs cover days. Kafka is replaced by
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
  readonly #settings: Settings;
  readonly #directory: ReturnType<typeof directoryOf>;
  readonly #flow: FlowControl;
  readonly #partition: PartitionFlow;
  readonly #pipeline: Pipeline;
  readonly #gates: Gates;
  readonly #endpoint: ReturnType<typeof createEndpoint>;
  #issued = 0;

  /** `responseAt` returns the endpoint's response to a request, by milliseconds from the start. */
  constructor(responseAt: (ms: number) => EndpointResponse, { environment, limits, onWrite }: Variations = {}) {
    const { clock, startedAt } = this;
    const settings = defaultSettings(environment);
    this.#settings = settings;
    this.#directory = directoryOf(limits);
    this.#endpoint = createEndpoint(clock, (now) => responseAt(now - startedAt));
    this.#gates = new Gates({ policy: gatesPolicy(settings), directory: this.#directory, clock, listeners: [] });
    const turns = new StartTurns(maxStartsPerTurn, clock);
    const flowOf = (pool: Pool): FlowControl => new FlowControl(flowLimits(settings, pool), turns);
    this.#flow = flowOf('first');
    this.#partition = this.#flow.openPartition();
    const flow = flowOf('retry');
    flow.begin(tierPartitions);
    const topics = configuredTiers(settings).map(({ topic }) => topic);
    this.tiers = new MemoryTiers({ topics, intake: () => intake, flow, clock, onWrite });
    this.#pipeline = this.#createPipeline();
    const intake = new RetryIntake({
      pipeline: this.#pipeline,
      results: undefined,
      clock,
      tierOf: (topic) => tierOf(topic, settings),
    });
  }

  get requests(): number {
    return this.#endpoint.requests;
  }

  /** Issues certificates for the subscriber as fast as the service reads them. */
  async issue(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      while (this.#partition.pausedBy(0) !== undefined) {
        await new Promise<void>((resolve) => {
          this.#flow.onceReleased(resolve);
        });
      }
      this.#handleNext();
    }
  }

  [Symbol.dispose](): void {
    this.#gates[Symbol.dispose]();
  }

  #handleNext(): void {
    const offset = this.#issued;
    this.#issued += 1;
    const held = new RecordRun(this.#partition, 0);
    this.#pipeline.handleCertificate(aRecord({ offset, timestamp: this.clock.now() }), aHeldRecordContext(held));
  }

  #createPipeline(): Pipeline {
    const { clock, tiers } = this;
    const directory = this.#directory;
    const settings = this.#settings;
    const headerSettings = {
      userAgent: 'certificate-webhooks',
      eventTypeHeader: undefined,
      deliveryIdHeader: undefined,
    };
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
      deliveryAttempted: ({ delivery, outcome, startedAt, durationMs }) => {
        if (outcome.kind === 'delivered')
          this.delivered.set(delivery.deliveryId, startedAt + durationMs - this.startedAt);
      },
      deliveryDeferred: ({ reason }) => addOne(this.deferred, reason),
      deliveryUnsubscribed: nothing,
      deliveryDeadLettered: nothing,
    };
  }
}

function directoryOf(limits: WebhookLimits | undefined) {
  const webhook: Webhook = {
    id: 'only',
    ownerId: '665f1f77bcf86cd799439000',
    state: 'active',
    limits,
    wants: () => true,
    endpoint: () => ({
      url: new URL('https://only.example.com/'),
      authentication: { authType: 'none' },
      customHeaders: {},
    }),
  };
  return { ofOwner: () => [webhook], byId: () => webhook, caughtUp: () => Promise.resolve(), isComplete: () => true };
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function tierOf(topic: string, settings: Settings) {
  const [tier] = tierTopicsIn([topic], settings.retry.topicPrefix);
  if (tier === undefined) throw new Error(`${topic} is no tier`);
  return tier;
}

/** The response of an endpoint to one request. */
export interface EndpointResponse {
  readonly afterMs: number;
  readonly outcome: RequestOutcome;
}

/** Creates an endpoint without a limit on concurrent requests. */
function createEndpoint(
  clock: Clock,
  responseAt: (now: number) => EndpointResponse,
): Sender & { readonly requests: number } {
  let requests = 0;
  return {
    get requests() {
      return requests;
    },
    send: (_request, listener): InFlight => {
      requests += 1;
      const { afterMs, outcome } = responseAt(clock.now());
      clock.after(afterMs, () => listener.onOutcome(outcome));
      return { abort: () => undefined };
    },
  };
}

export const deliveredInOneSecond: EndpointResponse = { afterMs: 1000, outcome: { kind: 'delivered', status: 200 } };
export const timesOut: EndpointResponse = {
  afterMs: 15_000,
  outcome: { kind: 'timeout', message: 'no answer in time' },
};
