import type { Certificate, Decoded, Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { forNextAttempt, withFailure } from '../deliveries/attempt-result.ts';
import type { AttemptResult, Attempts } from '../deliveries/attempts.ts';
import type { Delivery, Pool } from '../deliveries/delivery.ts';
import { Forecast } from './forecast.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';
import { plan } from '../deliveries/plan.ts';
import type { Schedule } from '../deliveries/schedule.ts';
import { settle, waitUntil } from '../deliveries/settle.ts';
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

interface PipelineOptions {
  readonly decode: (record: SourceRecord, now: number) => Decoded;
  readonly directory: Directory;
  readonly attempts: Pick<Attempts, 'attempt'>;
  readonly retryPublisher: RetryPublisher;
  readonly schedule: Schedule;
  readonly events: PipelineEvents;
  readonly clock: Clock;
}

/**
 * Handles one record from its bytes to a result that the offset ledger can settle.
 *
 * | step    | a certificate                               | a retry                                    |
 * | ------- | ------------------------------------------- | ------------------------------------------ |
 * | read    | `decode`: certificate, rejection or ignored | read from its envelope by the retry intake |
 * | plan    | `#plan`: one delivery for each webhook      | none, the delivery exists                  |
 * | deliver | `#deliver`: one attempt of each delivery    | `#deliver`, or `#moveOn` before it is due  |
 * | settle  | `settle()`: the outcome's consequence       | the same                                   |
 * | enact   | `#enact`: nothing, a tier or a dead letter  | the same                                   |
 *
 * The certificate intake calls `handleCertificate`; the retry intake calls `handleRetry` and `handleUnreadable`. The
 * pipeline has no queue and no timer, and no state but the forecast. Deliveries wait in the gates and in the tiers.
 *
 * Promises:
 * - A `RecordResult` means that nothing is left to do for the record here, so its offset may be committed. Each
 *   delivery was accepted by its endpoint, is acknowledged in a tier or the dead-letter topic, or has no subscriber.
 *   Otherwise the whole record is in the dead-letter topic.
 * - `abandoned` means that the record must not be settled. The next owner of the partition reads it again.
 * - An exception of our own code dead-letters the record. A crash would read the same record again, and crash again.
 *
 * Removing one of these causes:
 * - `caughtUp()` before `#plan`: a record misses webhooks that were written before it.
 * - `caughtUp()` before a retry is dropped as unsubscribed: a process whose directory is behind loses the delivery.
 * - `stillOwned()` after a wait: two processes deliver the record, or each writes a copy of it to a tier.
 * - `Promise.allSettled` in `all`: a record is dead-lettered while its other deliveries still run.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #forecast = new Forecast();

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** The number of first attempts that are expected from certificates being planned. */
  get expected(): number {
    return this.#forecast.deliveries;
  }

  /** Resolves once the record is settled, or to `abandoned` when its assignment ended before that. */
  handleCertificate(record: SourceRecord, context: RecordContext): Promise<Handled> {
    return this.#guarded(record, context, () => {
      const decoded = this.#options.decode(record, this.#options.clock.now());
      switch (decoded.kind) {
        case 'ignored':
          return 'ignored';
        case 'rejected':
          return this.#reject(record, decoded.rejection);
        case 'certificate':
          return this.#planAndDeliver(record, decoded.certificate, context);
      }
    });
  }

  /** Handles a delivery that left its tier: attempts it if it is due, or writes it to the next tier. */
  handleRetry(retry: Retry, context: RecordContext): Promise<Handled> {
    const { clock } = this.#options;
    return this.#guarded(retry.record, context, async () => {
      // The record waited in this process, and its partition may have been given to another one since.
      if (!(await context.stillOwned())) return 'abandoned';
      if (retry.stay.dueAt > clock.now()) return this.#moveOn(retry, context);
      return this.#deliver(retry.delivery, 'retry', context, retry.stay);
    });
  }

  /** Handles a record of a tier that is no delivery. */
  handleUnreadable(record: SourceRecord, problem: string, assignment: AssignmentContext): Promise<Handled> {
    const rejection: Rejection = { reason: 'undecodable', message: problem };
    return this.#guarded(record, assignment, () => this.#reject(record, rejection));
  }

  async #planAndDeliver(record: SourceRecord, certificate: Certificate, context: RecordContext): Promise<Handled> {
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

  /** Returns undefined when the assignment ended before the directory had caught up. */
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
      // Catching up takes as long as Kafka is away. The partition may be another process's by now.
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
    const result = await attempts.attempt(delivery, pool, context);
    const isGone = pool === 'retry' && result.outcome.kind === 'unsubscribed';
    const { outcome, startedAt } = isGone ? await this.#attemptOnceMore(delivery, result, context) : result;
    const endedAt = clock.now();
    // The next owner of the partition delivers the record. A copy in a tier would deliver it once more.
    if (outcome.kind !== 'delivered' && !(await context.stillOwned())) return 'abandoned';
    const settlement = settle(delivery, outcome, schedule, endedAt);
    const attempted = withFailure(delivery, outcome, startedAt);
    this.#emit({ delivery: attempted, outcome, settlement, startedAt, endedAt, from });
    return this.#enact(attempted, settlement, context, outcome);
  }

  /**
   * Attempts a retry again after the directory has caught up, because its webhook was not found.
   * The process that wrote the retry may have known a newer version of the directory than this one.
   */
  async #attemptOnceMore(delivery: Delivery, result: AttemptResult, context: RecordContext): Promise<AttemptResult> {
    const { attempts, directory } = this.#options;
    await directory.caughtUp();
    return (await context.stillOwned()) ? attempts.attempt(delivery, 'retry', context) : result;
  }

  /** Writes a retry that is not due to the tier that fits the time left. */
  async #moveOn({ delivery, stay }: Retry, context: RecordContext): Promise<Handled> {
    const { events, schedule, clock } = this.#options;
    const settlement = waitUntil(delivery, schedule, clock.now(), stay.dueAt);
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
        const next = forNextAttempt(delivery, settlement);
        const written = await this.#options.retryPublisher.publishRetry(next, settlement, context);
        if (written === 'abandoned') return 'abandoned';
        return written === 'written' ? 'retried' : this.#deadLetter(delivery, 'too_large', attemptsMade);
      }
      case 'dead':
        return this.#deadLetter(delivery, settlement.reason, attemptsMade);
    }
  }

  async #deadLetter(delivery: Delivery, reason: DeliveryDeadReason, attemptsMade: number): Promise<RecordResult> {
    const { retryPublisher, events, clock } = this.#options;
    const writtenAs = await retryPublisher.publishDeadLetter(delivery, { reason, attemptsMade, failedAt: clock.now() });
    events.deliveryDeadLettered(delivery, writtenAs);
    return 'dead_lettered';
  }

  async #reject(record: SourceRecord, rejection: Rejection): Promise<RecordResult> {
    const { retryPublisher, events, clock } = this.#options;
    events.recordRejected(record, rejection);
    await retryPublisher.publishRecordDeadLetter(record, {
      reason: rejection.reason,
      message: rejection.message,
      failedAt: clock.now(),
    });
    return 'dead_lettered';
  }

  /** Dead-letters the record as `internal_error` when `handle` throws. */
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

/** Waits for all deliveries, also when one throws, because the record is handled only after the last of them. */
async function all(handling: readonly Promise<Handled>[]): Promise<readonly Handled[]> {
  await Promise.allSettled(handling);
  return Promise.all(handling);
}

function firstThatApplies(results: readonly Handled[]): Handled {
  if (results.includes('abandoned')) return 'abandoned';
  return recordResults.find((result) => results.includes(result)) ?? 'unclaimed';
}
