import type { Clock } from '../../../src/lib/clock.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';
import { recordEvents } from '../environment/recording.ts';
import type { ProcessClock } from '../time/process-clock.ts';
import { type Processor, TurnCounter } from './processor.ts';
import { quantile, type Figures, type GroupFigures } from './figures.ts';
import type { Subscription } from './situation.ts';

interface MeasurementsOptions {
  readonly clock: Clock;
  readonly process: ProcessClock;
  readonly subscriptions: readonly Subscription[];
  /** Returns the time at which the certificate of a delivery was appended. */
  readonly appendedAt: (deliveryId: string) => number;
}

interface Group {
  expected: number;
  delivered: number;
  firstAppendedAt: number;
  lastDeliveredAt: number;
  /** The deliveries of which a request was sent. */
  readonly started: Set<string>;
  readonly queuedMs: number[];
  readonly latenciesMs: number[];
  readonly writes: Map<string, number>;
}

/** Counts what the requests and events of one process show, without a record of each delivery's course. */
export class Measurements {
  readonly #options: MeasurementsOptions;
  readonly #groups = new Map<string, Group>();
  readonly #groupsOfWebhook: ReadonlyMap<string, readonly Group[]>;
  readonly #started: TurnCounter;
  readonly #deferred: TurnCounter;
  readonly #errors: unknown[] = [];
  #startedAt = 0;
  #maxUnsettled = 0;
  #consumersJoined = 0;

  constructor(options: MeasurementsOptions) {
    const { process, subscriptions } = options;
    this.#options = options;
    this.#started = new TurnCounter(process);
    this.#deferred = new TurnCounter(process);
    this.#groupsOfWebhook = new Map(
      subscriptions.map(({ webhookId, groups }) => [webhookId, groups.map((name) => this.#openGroup(name))]),
    );
  }

  /** The consumers that have joined their group. */
  get consumersJoined(): number {
    return this.#consumersJoined;
  }

  /** The errors that the service reports of itself. A run with any of them shows nothing. */
  get errors(): readonly unknown[] {
    return this.#errors;
  }

  /** Notes how many deliveries are started and not settled. */
  unsettled(deliveries: number): void {
    this.#maxUnsettled = Math.max(this.#maxUnsettled, deliveries);
  }

  /** Begins to measure. */
  start(): void {
    this.#startedAt = this.#options.clock.now();
  }

  appended(webhookIds: readonly string[], certificates: number): void {
    for (const group of webhookIds.flatMap((webhookId) => this.#groupsOf(webhookId))) {
      group.expected += certificates;
      group.firstAppendedAt = Math.min(group.firstAppendedAt, this.#options.clock.now());
    }
  }

  /** Counts a request. Returns the time at which it leaves, from the start of the load. */
  sent(request: { readonly deliveryId: string; readonly webhookId: string; readonly sentAt: number }): number {
    const { deliveryId, webhookId, sentAt } = request;
    this.#started.add(1);
    for (const { started, queuedMs } of this.#groupsOf(webhookId)) {
      if (!started.has(deliveryId)) queuedMs.push(sentAt - this.#options.appendedAt(deliveryId));
      started.add(deliveryId);
    }
    return sentAt - this.#startedAt;
  }

  writtenToTier(deliveryId: string): void {
    for (const { writes } of this.#groupsOf(webhookIdOf(deliveryId))) {
      writes.set(deliveryId, (writes.get(deliveryId) ?? 0) + 1);
    }
  }

  /** Returns the event sink of the process. */
  events(recordConsumed: () => void): Events {
    return {
      ...recordEvents('', { add: () => undefined }),
      recordConsumed,
      recordSettled: () => undefined,
      recordFailed: (_record, error) => this.#errors.push(error),
      consumerCrashed: ({ error }) => this.#errors.push(error),
      consumerJoined: () => {
        this.#consumersJoined += 1;
      },
      deliveryAttempted: ({ delivery: { deliveryId, webhookId }, outcome }) => {
        if (outcome.kind !== 'delivered') return;
        for (const group of this.#groupsOf(webhookId)) {
          group.delivered += 1;
          group.latenciesMs.push(this.#options.clock.now() - this.#options.appendedAt(deliveryId));
          group.lastDeliveredAt = this.#options.clock.now();
        }
      },
      deliveryDeferred: () => this.#deferred.add(1),
    };
  }

  figures({ longestTurnMs }: Processor, heapGrowthBytes: number): Figures {
    return {
      groups: Object.fromEntries([...this.#groups].map(([name, group]) => [name, figuresOf(group)])),
      maxStartedInTurn: this.#started.max,
      maxDeferredInTurn: this.#deferred.max,
      maxUnsettled: this.#maxUnsettled,
      longestTurnMs,
      heapGrowthBytes,
    };
  }

  #openGroup(name: string): Group {
    const group = this.#groups.get(name) ?? {
      expected: 0,
      delivered: 0,
      firstAppendedAt: Number.POSITIVE_INFINITY,
      lastDeliveredAt: 0,
      started: new Set(),
      queuedMs: [],
      latenciesMs: [],
      writes: new Map(),
    };
    this.#groups.set(name, group);
    return group;
  }

  #groupsOf(webhookId: string): readonly Group[] {
    const groups = this.#groupsOfWebhook.get(webhookId);
    if (groups === undefined) throw new Error(`there is no webhook ${webhookId}`);
    return groups;
  }
}

function figuresOf(group: Group): GroupFigures {
  const { expected, delivered, firstAppendedAt, lastDeliveredAt, queuedMs, latenciesMs, writes } = group;
  const sorted = Float64Array.from(queuedMs).toSorted();
  return {
    expected,
    delivered,
    queueing: { p99: quantile(sorted, 0.99), max: quantile(sorted, 1) },
    latencyP99: quantile(Float64Array.from(latenciesMs).toSorted(), 0.99),
    perSecond: (delivered / (lastDeliveredAt - firstAppendedAt)) * 1000,
    throughTier: writes.size,
    maxWrites: [...writes.values()].reduce((most, count) => Math.max(most, count), 0),
  };
}

/** Splits `<topic>/<partition>/<offset>/<webhook id>`. */
function webhookIdOf(deliveryId: string): string {
  return deliveryId.slice(deliveryId.lastIndexOf('/') + 1);
}
