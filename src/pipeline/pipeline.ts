import type { Certificate, Decoded, Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { forNextAttempt, withFailure } from '../deliveries/attempt-result.ts';
import type { AttemptResult, Attempts } from '../deliveries/attempts.ts';
import type { Delivery, Pool } from '../deliveries/delivery.ts';
import type { StartedDelivery } from '../deliveries/delivery-cursor.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';
import { plan } from '../deliveries/plan.ts';
import type { Schedule } from '../deliveries/schedule.ts';
import { settle, waitUntil } from '../deliveries/settle.ts';
import type { DeliveryDeadReason, Unsettled } from '../deliveries/settlement.ts';
import { measureSetForward, wallTimeAt, type Clock } from '../lib/clock.ts';
import type { Directory } from '../webhooks/webhook.ts';
import type { DeliveryAttempted, PipelineEvents } from './pipeline-events.ts';
import { FanOut } from './fan-out.ts';
import type {
  AssignmentContext,
  Handled,
  RecordContext,
  RecordResult,
  Retry,
  RetryPublisher,
  TierStay,
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
 * | plan    | `plan()`: one delivery for each webhook     | none, the delivery exists                  |
 * | start   | `FanOut`: each as flow control allows       | the same                                   |
 * | deliver | `#deliver`: one attempt of each delivery    | `#deliver`, or `#moveOn` before it is due  |
 * | settle  | `settle()`: the outcome's consequence       | the same                                   |
 * | enact   | `#enact`: a tier or a dead letter, or none  | the same                                   |
 *
 * The certificate intake calls `handleCertificate`; the retry intake calls `handleRetry` and `handleUnreadable`. The
 * pipeline has no queue, no timer and no state. Deliveries wait in flow control, in the gates and in the tiers.
 *
 * Promises:
 * - A `RecordResult` means that nothing is left to do for the record here, so its offset may be committed. Each
 *   delivery was accepted by its endpoint, is acknowledged in a tier or the dead-letter topic, or has no subscriber.
 *   Otherwise the whole record is in the dead-letter topic.
 * - `abandoned` means that the record must not be settled. The next owner of the partition reads it again.
 * - An exception of our own code dead-letters the record. A crash would read the same record again, and crash again.
 *
 * Removing one of these causes:
 * - `caughtUp()` before `plan()`: a record misses webhooks that were written before it.
 * - `caughtUp()` before a retry is dropped as unsubscribed: a process whose directory is behind loses the delivery.
 * - `stillOwned()` after a wait: two processes deliver the record, or each writes a copy of it to a tier.
 * - `markWaiting()` before a write: a tier topic that refuses writes fills the window, and stops first attempts.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #setForwardMs: () => number;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#setForwardMs = measureSetForward(options.clock);
  }

  /** Resolves once the record is settled, or to `abandoned` when its assignment ended before that. */
  async handleCertificate(record: SourceRecord, context: RecordContext): Promise<Handled> {
    const { decode, directory, events, clock } = this.#options;
    try {
      const decoded = decode(record, clock.now());
      if (decoded.kind === 'ignored') return 'ignored';
      if (decoded.kind === 'rejected') return await this.#reject(record, decoded.rejection);
      await directory.caughtUp();
      // Catching up takes as long as Kafka is away. The partition may be another process's by now.
      const isOwned = context.stillOwned();
      if (isOwned !== true && !(await isOwned)) return 'abandoned';
      const { certificate } = decoded;
      const fanOut = this.#fanOut(record, certificate, context);
      if (!fanOut.hasNext) return 'unclaimed';
      events.certificateDeviated(certificate.missingFields);
      context.start(fanOut);
      return await fanOut.handled;
    } catch (error) {
      return this.#failed(record, context, error);
    }
  }

  /** Handles a delivery that left its tier: attempts it if it is due, or writes it to the next tier. */
  async handleRetry(retry: Retry, context: RecordContext): Promise<Handled> {
    const { clock } = this.#options;
    try {
      // The record waited in this process, and its partition may have been given to another one since.
      if (!(await context.stillOwned())) return 'abandoned';
      const fanOut = new FanOut(retry.delivery.ownerId, [retry.delivery], {
        context,
        deliver: (delivery, started) =>
          retry.stay.dueAtMonotonic > clock.monotonic()
            ? this.#moveOn(retry, context, started)
            : this.#deliver(delivery, { pool: 'retry', context, started, from: retry.stay }),
      });
      context.start(fanOut);
      return await fanOut.handled;
    } catch (error) {
      return this.#failed(retry.record, context, error);
    }
  }

  /** Handles a record of a tier that is no delivery. */
  async handleUnreadable(record: SourceRecord, problem: string, assignment: AssignmentContext): Promise<Handled> {
    try {
      return await this.#reject(record, { reason: 'undecodable', message: problem });
    } catch (error) {
      return this.#failed(record, assignment, error);
    }
  }

  /** Deliveries do not age while the wall clock is set forward. Otherwise all of them could expire at once. */
  get #schedule(): Schedule {
    const { schedule } = this.#options;
    return { ...schedule, maxAgeMs: schedule.maxAgeMs + this.#setForwardMs() };
  }

  #fanOut(record: SourceRecord, certificate: Certificate, context: RecordContext): FanOut {
    const { directory, clock } = this.#options;
    const { ownerId } = certificate;
    return new FanOut(ownerId, plan(record, certificate, directory.ofOwner(ownerId), clock.now()), {
      context,
      deliver: (delivery, started) => this.#deliver(delivery, { pool: 'first', context, started }),
    });
  }

  async #deliver(delivery: Delivery, { pool, context, started, from }: DeliverOptions): Promise<Handled> {
    const { attempts, clock } = this.#options;
    const result = await attempts.attempt(delivery, pool, started);
    const isGone = pool === 'retry' && result.outcome.kind === 'unsubscribed';
    const final = isGone ? await this.#attemptOnceMore(delivery, result, context, started) : result;
    const { outcome, startedAt, durationMs } = final;
    // The next owner of the partition delivers the record. A copy in a tier would deliver it once more.
    if (outcome.kind !== 'delivered' && !(await context.stillOwned())) return 'abandoned';
    const settlement = settle(delivery, outcome, this.#schedule, clock.now());
    const attempted = withFailure(delivery, outcome, startedAt);
    this.#emit({ delivery: attempted, outcome, settlement, startedAt, durationMs, from });
    if (settlement.kind === 'done') return outcome.kind === 'unsubscribed' ? 'unsubscribed' : 'delivered';
    return this.#enact(attempted, settlement, { context, started, outcome });
  }

  /**
   * Attempts a retry again after the directory has caught up, because its webhook was not found.
   * The process that wrote the retry may have known a newer version of the directory than this one.
   */
  async #attemptOnceMore(
    delivery: Delivery,
    result: AttemptResult,
    context: AssignmentContext,
    started: StartedDelivery,
  ): Promise<AttemptResult> {
    const { attempts, directory } = this.#options;
    await directory.caughtUp();
    return (await context.stillOwned()) ? attempts.attempt(delivery, 'retry', started) : result;
  }

  /** Writes a retry that is not due to the tier that fits the time left. */
  async #moveOn({ delivery, stay }: Retry, context: AssignmentContext, started: StartedDelivery): Promise<Handled> {
    const { events, clock } = this.#options;
    const dueAtNow = wallTimeAt(clock, stay.dueAtMonotonic);
    // The wall clock has whole milliseconds. If it was not set in the meantime, the sum is off by 1 ms at most.
    const dueAt = Math.abs(dueAtNow - stay.dueAt) <= 1 ? stay.dueAt : dueAtNow;
    const settlement = waitUntil(delivery, this.#schedule, clock.now(), dueAt);
    events.deliveryDeferred({ delivery, reason: 'not_due', failure: delivery.lastFailure, settlement });
    return this.#enact(delivery, settlement, { context, started });
  }

  async #enact(
    delivery: Delivery,
    settlement: Unsettled,
    { context, started, outcome }: EnactOptions,
  ): Promise<Handled> {
    started.markWaiting();
    const attemptsMade = outcome !== undefined && isAttempt(outcome) ? delivery.attempt : delivery.attempt - 1;
    switch (settlement.kind) {
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

  /** Dead-letters a record whose handling threw, as `internal_error`. */
  async #failed(record: SourceRecord, assignment: AssignmentContext, error: unknown): Promise<Handled> {
    const { retryPublisher, events, clock } = this.#options;
    if (assignment.revoked) return 'abandoned';
    events.recordFailed(record, error);
    const message = error instanceof Error ? error.name : 'unknown error';
    await retryPublisher.publishRecordDeadLetter(record, { reason: 'internal_error', message, failedAt: clock.now() });
    return 'dead_lettered';
  }

  #emit(attempted: DeliveryAttempted): void {
    const { events } = this.#options;
    const { delivery, outcome, settlement } = attempted;
    if (isAttempt(outcome)) events.deliveryAttempted(attempted);
    else if (outcome.kind === 'unsubscribed') events.deliveryUnsubscribed(delivery);
    else events.deliveryDeferred({ delivery, reason: outcome.kind, failure: delivery.lastFailure, settlement });
  }
}

interface DeliverOptions {
  readonly pool: Pool;
  readonly context: AssignmentContext;
  readonly started: StartedDelivery;
  /** The tier that a retry was read from. */
  readonly from?: TierStay;
}

interface EnactOptions {
  readonly context: AssignmentContext;
  readonly started: StartedDelivery;
  /** Undefined when no attempt was due. */
  readonly outcome?: Outcome;
}
