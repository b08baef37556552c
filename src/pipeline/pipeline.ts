import type { Certificate, Decoded, Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { asNext, withFailure } from '../deliveries/attempt-result.ts';
import type { Attempted, Attempts } from '../deliveries/attempts.ts';
import type { Delivery, Pool } from '../deliveries/delivery.ts';
import { Forecast } from './forecast.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';
import { plan } from '../deliveries/plan.ts';
import type { Schedule } from '../deliveries/schedule.ts';
import { settle, waitForSlot } from '../deliveries/settle.ts';
import type { DeliveryDeadReason, Settlement } from '../deliveries/settlement.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory } from '../webhooks/webhook.ts';
import type { DeliveryAttempted, PipelineEvents } from './pipeline-events.ts';
import {
  recordResults,
  type AssignmentContext,
  type Handled,
  type RetryPublisher,
  type RecordContext,
  type RecordResult,
  type Retry,
  type TierStay,
} from './ports.ts';

export interface PipelineOptions {
  readonly decode: (record: SourceRecord, now: number) => Decoded;
  readonly directory: Directory;
  readonly attempts: Pick<Attempts, 'attempt'>;
  readonly retryPublisher: RetryPublisher;
  readonly schedule: Schedule;
  readonly events: PipelineEvents;
  readonly clock: Clock;
}

/**
 * The story of a record: read it, plan its deliveries, deliver each, settle by the outcome, enact the settlement.
 * Retries enter at the third verb and share all that follows.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #forecast = new Forecast();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** First attempts that are about to come, presumably. */
  get expected(): number {
    return this.#forecast.deliveries;
  }

  /** Resolves once the record is settled, or with `abandoned` when its assignment was over before that. */
  handleCertificate(record: SourceRecord, context: RecordContext): Promise<Handled> {
    return this.#guarded(record, context, () => {
      const decoded = this.#options.decode(record, this.#options.clock.now());
      switch (decoded.kind) {
        case 'ignored':
          return 'ignored';
        case 'rejected':
          return this.#reject(record, decoded.rejection);
        case 'certificate':
          return this.#handlePlanned(record, decoded.certificate, context);
      }
    });
  }

  /** A delivery that a tier lets go of: attempted when it is due, else on its way to the next tier. */
  handleRetry(retry: Retry, context: RecordContext): Promise<Handled> {
    const { clock } = this.#options;
    return this.#guarded(retry.record, context, async () => {
      // It has waited for its time, and may be somebody else's by now.
      if (!(await context.stillOwned())) return 'abandoned';
      if (retry.stay.dueAt > clock.now()) return this.#moveOn(retry, context);
      return this.#deliver(retry.delivery, 'retry', context, retry.stay);
    });
  }

  /** A record of a tier that is no delivery. */
  handleUnreadable(record: SourceRecord, problem: string, assignment: AssignmentContext): Promise<Handled> {
    const rejection: Rejection = { reason: 'undecodable', message: problem };
    return this.#guarded(record, assignment, () => this.#reject(record, rejection));
  }

  async #handlePlanned(record: SourceRecord, certificate: Certificate, context: RecordContext): Promise<Handled> {
    const deliveries = await this.#plan(record, certificate, context);
    if (deliveries === undefined) return 'abandoned';
    const [only] = deliveries;
    if (only === undefined) return 'unclaimed';
    this.#options.events.certificateDeviated(certificate.missingFields);
    if (deliveries.length === 1) return this.#deliver(only, 'first', context);
    context.expectDeliveries(deliveries.length);
    return firstThatApplies(
      await all(deliveries.map(async (delivery) => this.#deliverOneOfSeveral(delivery, context))),
    );
  }

  /** Undefined when the assignment is over by then. */
  async #plan(
    record: SourceRecord,
    certificate: Certificate,
    assignment: AssignmentContext,
  ): Promise<readonly Delivery[] | undefined> {
    const { directory, clock } = this.#options;
    let deliveries: readonly Delivery[] | undefined;
    this.#forecast.looking();
    try {
      await directory.caughtUp();
      // It may have taken as long as Kafka was away, and the record is somebody else's by now.
      if (await assignment.stillOwned())
        deliveries = plan(record, certificate, directory.ofOwner(certificate.ownerId), clock.now());
      return deliveries;
    } finally {
      this.#forecast.looked(deliveries?.length);
    }
  }

  async #deliverOneOfSeveral(delivery: Delivery, context: RecordContext): Promise<Handled> {
    try {
      return await this.#deliver(delivery, 'first', context);
    } finally {
      context.markWaiting();
    }
  }

  async #deliver(delivery: Delivery, pool: Pool, context: RecordContext, from?: TierStay): Promise<Handled> {
    const { attempts, schedule, clock } = this.#options;
    const attempted = await attempts.attempt(delivery, pool, context);
    const isGone = pool === 'retry' && attempted.outcome.kind === 'unsubscribed';
    const { outcome, startedAt } = isGone ? await this.#attemptOnceMore(delivery, attempted, context) : attempted;
    const endedAt = clock.now();
    // Whoever reads the record next delivers it: a copy in a tier besides would be one too many.
    if (outcome.kind !== 'delivered' && !(await context.stillOwned())) return 'abandoned';
    const settlement = settle(delivery, outcome, schedule, endedAt);
    const settled = withFailure(delivery, outcome, startedAt);
    this.#emit({ delivery: settled, outcome, settlement, startedAt, endedAt, from });
    return this.#enact(settled, settlement, context, outcome);
  }

  /**
   * A tier may be read by a process whose directory is behind that of the one which wrote to it: a webhook that seems to
   * be gone is looked for again in a directory that has caught up.
   */
  async #attemptOnceMore(delivery: Delivery, attempted: Attempted, context: RecordContext): Promise<Attempted> {
    const { attempts, directory } = this.#options;
    await directory.caughtUp();
    return (await context.stillOwned()) ? attempts.attempt(delivery, 'retry', context) : attempted;
  }

  async #moveOn({ delivery, stay }: Retry, context: RecordContext): Promise<Handled> {
    const { events, schedule, clock } = this.#options;
    const settlement = waitForSlot(delivery, schedule, clock.now(), stay.dueAt);
    events.deliveryDeferred({ delivery, reason: 'not_due', failure: delivery.lastFailure, settlement });
    return this.#enact(delivery, settlement, context);
  }

  async #enact(
    delivery: Delivery,
    settlement: Settlement,
    context: RecordContext,
    outcome?: Outcome,
  ): Promise<Handled> {
    const attemptsMade = outcome !== undefined && isAttempt(outcome) ? delivery.attempt : delivery.attempt - 1;
    switch (settlement.kind) {
      case 'done':
        return outcome?.kind === 'unsubscribed' ? 'unsubscribed' : 'delivered';
      case 'retry':
      case 'defer': {
        const written = await this.#options.retryPublisher.publishRetry(
          asNext(delivery, settlement),
          settlement,
          context,
        );
        if (written === 'abandoned') return 'abandoned';
        return written === 'written' ? 'retried' : this.#deadLetter(delivery, 'too_large', attemptsMade);
      }
      case 'dead':
        return this.#deadLetter(delivery, settlement.reason, attemptsMade);
    }
  }

  async #deadLetter(delivery: Delivery, reason: DeliveryDeadReason, attemptsMade: number): Promise<RecordResult> {
    const { retryPublisher, events, clock } = this.#options;
    const buriedAs = await retryPublisher.publishDeadLetter(delivery, { reason, attemptsMade, failedAt: clock.now() });
    events.deliveryDeadLettered(delivery, buriedAs);
    return 'dead_lettered';
  }

  async #reject(record: SourceRecord, rejection: Rejection): Promise<RecordResult> {
    const { retryPublisher, events, clock } = this.#options;
    events.recordRejected(record, rejection);
    await retryPublisher.publishRecordDeadLetter(record, { ...rejection, failedAt: clock.now() });
    return 'dead_lettered';
  }

  /** A record that our own code can't handle is buried: a crash would meet it again. */
  async #guarded(
    record: SourceRecord,
    assignment: AssignmentContext,
    handle: () => Handled | Promise<Handled>,
  ): Promise<Handled> {
    const { retryPublisher, events, clock } = this.#options;
    try {
      return await handle();
    } catch (error) {
      if (assignment.revoked) return 'abandoned';
      events.recordFailed(record, error);
      const message = error instanceof Error ? error.name : 'unknown error';
      await retryPublisher.publishRecordDeadLetter(record, {
        reason: 'internal_error',
        message,
        failedAt: clock.now(),
      });
      return 'dead_lettered';
    }
  }

  #emit(attempted: DeliveryAttempted): void {
    const { events } = this.#options;
    const { delivery, outcome, settlement } = attempted;
    if (isAttempt(outcome)) events.deliveryAttempted(attempted);
    else if (outcome.kind === 'unsubscribed') events.deliveryUnsubscribed(delivery);
    else events.deliveryDeferred({ delivery, reason: outcome.kind, failure: delivery.lastFailure, settlement });
  }
}

/** Waits for all of them, also when one throws: a record is handled once each of its deliveries is. */
async function all(handling: readonly Promise<Handled>[]): Promise<readonly Handled[]> {
  await Promise.allSettled(handling);
  return Promise.all(handling);
}

function firstThatApplies(results: readonly Handled[]): Handled {
  if (results.includes('abandoned')) return 'abandoned';
  return recordResults.find((result) => results.includes(result)) ?? 'unclaimed';
}
