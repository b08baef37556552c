import type { Delivery } from '../deliveries/delivery.ts';
import { isAttempt } from '../deliveries/outcome.ts';
import type { DeadReason, Settlement } from '../deliveries/settlement.ts';
import {
  attemptFacts,
  deadLetterFacts,
  deferralFacts,
  unsubscribedFacts,
  type DeliveryFacts,
} from './delivery-facts.ts';
import type { DeliveryAttempted, DeliveryDeferred, PipelineEvents } from './pipeline-events.ts';
import type { AssignmentContext, Handled, RecordContext } from './ports.ts';
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
