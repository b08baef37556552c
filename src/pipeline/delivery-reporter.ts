import type { Delivery, Failure } from '../deliveries/delivery.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';
import type { DeadReason, Settlement } from '../deliveries/settle.ts';
import type {
  DeliveryAttempted,
  DeliveryDeferred,
  PipelineEvents,
  AssignmentContext,
  Handled,
  RecordContext,
} from './ports.ts';
import type { RunningDelivery } from './running-delivery.ts';

/** Durable publication of what becomes of deliveries, in the results topic. */
export interface ResultPublisher {
  /**
   * Resolves once all in-sync replicas have the record, in the results topic or in a tier, however long that takes.
   * `abandoned`: the assignment ended, and it is in neither.
   */
  publish(delivery: Delivery, facts: DeliveryFacts, assignment: AssignmentContext): Promise<'written' | 'abandoned'>;
}

interface ReporterOptions {
  readonly events: PipelineEvents;
  /** Undefined without `RESULTS_TOPIC`. */
  readonly results?: ResultPublisher | undefined;
}

/** The write of a record to the results topic. Undefined without such a topic. */
type Publication = ReturnType<ResultPublisher['publish']> | undefined;

/** Tells what becomes of deliveries: emits the event, and publishes its record if there is a results topic. */
export class DeliveryReporter {
  readonly #events: PipelineEvents;
  readonly #results: ResultPublisher | undefined;

  constructor({ events, results }: ReporterOptions) {
    this.#events = events;
    this.#results = results;
  }

  /** Reports an outcome and what follows from it. */
  ended(attempted: DeliveryAttempted, running: RunningDelivery): Publication {
    const { context } = running;
    // The write waits for Kafka. It must not keep the window from other deliveries.
    if (this.#results !== undefined) running.write();
    const { delivery, outcome, settlement } = attempted;
    if (isAttempt(outcome)) {
      this.#events.deliveryAttempted(attempted);
      return this.#results?.publish(delivery, attemptFacts(attempted), context);
    }
    if (outcome.kind === 'unsubscribed') {
      this.#events.deliveryUnsubscribed(delivery);
      return this.#results?.publish(delivery, unsubscribedFacts, context);
    }
    return this.#deferred({ delivery, reason: outcome.kind, failure: delivery.lastFailure, settlement }, context);
  }

  /** Reports a retry that moves to another tier, because it is not due. */
  notDue(delivery: Delivery, settlement: Settlement, context: RecordContext): Publication {
    return this.#deferred({ delivery, reason: 'not_due', failure: delivery.lastFailure, settlement }, context);
  }

  deadLettered(delivery: Delivery, reason: DeadReason, context: RecordContext): Publication {
    this.#events.deliveryDeadLettered(delivery, reason);
    return this.#results?.publish(delivery, deadLetterFacts(reason), context);
  }

  #deferred(deferred: DeliveryDeferred, context: RecordContext): Publication {
    this.#events.deliveryDeferred(deferred);
    return this.#results?.publish(deferred.delivery, deferralFacts(deferred), context);
  }
}

/** Returns what has become of a delivery once its record is published. Without a publication that is known at once. */
export function unlessAbandoned(
  published: Publication,
  handled: Handled | Promise<Handled>,
): Handled | Promise<Handled> {
  if (published === undefined) return handled;
  // Both writes run at the same time. A retry topic that fails must not delay the record of the attempt.
  if (handled instanceof Promise) return Promise.all([published, handled]).then(bothWritten);
  return published.then((written) => bothWritten([written, handled]));
}

function bothWritten([written, handled]: readonly [Awaited<Publication>, Handled]): Handled {
  return written === 'abandoned' ? 'abandoned' : handled;
}

/** The public facts of one event, without the ids. The log line and the record in the results topic are made of them. */
export interface DeliveryFacts {
  /** The name of the log line, and the type of the record in the results topic. */
  readonly event: 'delivery.attempted' | 'delivery.deferred' | 'delivery.dead_lettered' | 'delivery.unsubscribed';
  readonly outcome?: Outcome['kind'] | 'not_due';
  readonly status?: Failure['status'];
  readonly failure?: string | undefined;
  readonly durationMs?: number;
  readonly settlement?: Settlement;
  /** The reason of a dead letter. A settlement has its own. */
  readonly reason?: DeadReason;
}

export function attemptFacts({ outcome, settlement, durationMs }: DeliveryAttempted): DeliveryFacts {
  return {
    event: 'delivery.attempted',
    outcome: outcome.kind,
    status: 'status' in outcome ? outcome.status : undefined,
    failure: 'message' in outcome ? outcome.message : undefined,
    durationMs,
    settlement,
  };
}

/** Returns the facts of a deferral. Status and failure are those of the latest failed attempt, if there was one. */
export function deferralFacts({ reason, failure, settlement }: DeliveryDeferred): DeliveryFacts {
  return {
    event: 'delivery.deferred',
    outcome: reason,
    status: failure?.status,
    failure: failure?.message,
    settlement,
  };
}

export function deadLetterFacts(reason: DeadReason): DeliveryFacts {
  return { event: 'delivery.dead_lettered', reason };
}

export const unsubscribedFacts: DeliveryFacts = { event: 'delivery.unsubscribed' };

export function settlementFields(settlement: Settlement | undefined): {
  readonly dueAt?: string;
  readonly reason?: DeadReason;
} {
  switch (settlement?.kind) {
    case 'retry':
    case 'defer':
      return { dueAt: new Date(settlement.dueAt).toISOString() };
    case 'dead':
      return { reason: settlement.reason };
    case 'done':
    case undefined:
      return nothing;
  }
}

const nothing = {};
