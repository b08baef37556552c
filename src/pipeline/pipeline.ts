import type { Certificate, Decoded } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import { forNextAttempt, withFailure, type AttemptResult } from '../deliveries/attempt-result.ts';
import type { Attempts, RunningDelivery } from './running-delivery.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { isAttempt, type Outcome } from '../deliveries/outcome.ts';
import { CertificatePlan, lookUp, planOf, unclaimedReason, unsubscribed } from '../deliveries/plan.ts';
import type { Schedule } from '../deliveries/schedule.ts';
import { expiredAt, settle, waitUntil, type DeliveryDeadReason, type Unsettled } from '../deliveries/settle.ts';
import { measureSetForward, wallTimeAt, type Clock } from '../lib/clock.ts';
import type { Directory } from '../webhooks/webhook.ts';
import type { Handled, RecordContext, Retry, TierStay } from './ports.ts';
import { FanOut, type RecordHandler } from './fan-out.ts';
import { DeliveryReporter, unlessAbandoned, type ResultPublisher } from './delivery-reporter.ts';
import { UndeliveredRecords, type UndeliveredOptions } from './undelivered-records.ts';

interface PipelineOptions extends UndeliveredOptions {
  readonly decode: (record: SourceRecord, now: number) => Decoded;
  readonly directory: Directory;
  readonly attempts: Pick<Attempts, 'attempt'>;
  /** Undefined without `RESULTS_TOPIC`. */
  readonly results?: ResultPublisher | undefined;
  readonly schedule: Schedule;
  readonly clock: Clock;
}

/**
 * Handles one record from its bytes to a result that the offset ledger can settle.
 *
 * | step    | a certificate                               | a retry                                    |
 * | ------- | ------------------------------------------- | ------------------------------------------ |
 * | read    | `decode`: certificate, rejection or ignored | read from its envelope by the retry intake |
 * | plan    | `CertificatePlan`: one delivery per webhook | none, the delivery exists                  |
 * | start   | `FanOut`: each as flow control allows       | the same                                   |
 * | deliver | `Attempts`: one attempt of each delivery    | the same, or `#moveOn`, or `#expire`       |
 * | settle  | `settle()`: the outcome's consequence       | the same                                   |
 * | enact   | `#enact`: a tier or a dead letter, or none  | the same                                   |
 * | publish | `ResultPublisher`, with a results topic     | the same                                   |
 *
 * A record that leads to no delivery goes to `UndeliveredRecords`.
 *
 * The certificate intake calls `handleCertificate`; the retry intake calls `handleRetry` and `handleUnreadable`. The
 * pipeline has no queue, no timer and no state. Deliveries wait in flow control, in the gates and in the tiers.
 *
 * Promises:
 * - Each record's context ends once. A `RecordResult` means that nothing is left to do for the record here, so its offset
 *   may be committed. Each delivery was accepted by its endpoint, is acknowledged in a tier or the dead-letter topic, or has
 *   no subscriber. With a results topic, its records are acknowledged too, there or in a tier.
 *   Otherwise the whole record is in the dead-letter topic.
 * - `abandoned` means that the record must not be settled. The next owner of the partition reads it again.
 * - An exception of our own code dead-letters the record. A crash would read the same record again, and crash again.
 * - A record is planned with all webhooks that were written before it, and after each wait only if it is still ours. While the
 *   directory is incomplete for a reason of ours, none is settled as unclaimed.
 * - A write to a tier or to the results leaves the window. A topic that refuses writes stops no first attempt.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  /** Deliveries do not age while the wall clock is set forward. Otherwise all of them could expire at once. */
  readonly #schedule: Schedule;
  readonly #firstAttempts: RecordHandler;
  readonly #reporter: DeliveryReporter;
  readonly #undelivered: UndeliveredRecords;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#reporter = new DeliveryReporter(options);
    this.#undelivered = new UndeliveredRecords(options);
    const { schedule, attempts, clock } = options;
    const setForwardMs = measureSetForward(clock);
    this.#schedule = {
      ...schedule,
      get maxAgeMs() {
        return schedule.maxAgeMs + setForwardMs();
      },
    };
    this.#firstAttempts = {
      pool: 'first',
      begin: (running) => {
        attempts.attempt(running);
        return undefined;
      },
      settle: (running, result) => this.#settle(running, result),
      failed: (record, context, error) => this.#undelivered.failed(record, context, error),
    };
  }

  handleCertificate(record: SourceRecord, context: RecordContext): void {
    const { decode, clock } = this.#options;
    try {
      const decoded = decode(record, clock.now());
      if (decoded.kind === 'ignored') return this.#undelivered.end(record, context, 'ignored', { reason: decoded.why });
      if (decoded.kind === 'rejected') return this.#undelivered.reject(record, decoded.rejection, context);
      this.#plan(record, decoded.certificate, context);
    } catch (error) {
      this.#undelivered.failed(record, context, error);
    }
  }

  /** Handles a delivery that left its tier, and ends its context. Attempts it if it is due, or writes it to the next tier. */
  async handleRetry(retry: Retry, context: RecordContext): Promise<void> {
    const { record, delivery } = retry;
    try {
      // The record waited in this process, and its partition may have been given to another one since.
      if (!(await context.stillOwned())) return context.end('abandoned');
      context.start(new FanOut({ record, plan: planOf(delivery), context, handler: this.#retryHandler(retry) }));
    } catch (error) {
      this.#undelivered.failed(record, context, error);
    }
  }

  /** Handles a record of a tier that is no delivery, and ends its context. */
  handleUnreadable(record: SourceRecord, problem: string, context: RecordContext): void {
    const reason = record.headersOmitted === true ? 'too_large' : 'undecodable';
    this.#undelivered.reject(record, { reason, message: problem }, context);
  }

  #retryHandler(retry: Retry): RecordHandler {
    const { attempts, clock } = this.#options;
    return {
      ...this.#firstAttempts,
      pool: 'retry',
      begin: (running) => {
        // A group without commits reads it long after it was due, and so does everybody after an outage of ours.
        const expired = expiredAt(running.delivery, this.#schedule, retry.stay.readAt);
        if (expired === undefined && retry.stay.dueAtMonotonic <= clock.monotonic()) {
          attempts.attempt(running);
          return undefined;
        }
        running.moveOn();
        return expired === undefined ? this.#moveOn(retry, running) : this.#expire(retry, running, expired);
      },
      settle: (running, result) => this.#settle(running, result, retry.stay),
    };
  }

  #plan(record: SourceRecord, certificate: Certificate, context: RecordContext): void {
    void this.#options.directory.caughtUp().then(
      () => this.#startIfOwned(record, certificate, context),
      (error: unknown) => this.#undelivered.failed(record, context, error),
    );
  }

  /** Catching up takes as long as Kafka is away. The partition may be another process's by now. */
  #startIfOwned(record: SourceRecord, certificate: Certificate, context: RecordContext): void {
    const isOwned = context.stillOwned();
    if (isOwned === true) return this.#start(record, certificate, context);
    void Promise.resolve(isOwned).then((is) =>
      is ? this.#start(record, certificate, context) : context.end('abandoned'),
    );
  }

  #start(record: SourceRecord, certificate: Certificate, context: RecordContext): void {
    const { directory, events, clock } = this.#options;
    try {
      const webhooks = directory.ofOwner(certificate.ownerId);
      const plan = new CertificatePlan({ record, certificate, webhooks, now: clock.now() });
      const fanOut = new FanOut({ record, plan, context, handler: this.#firstAttempts });
      if (!fanOut.hasNext) {
        // The directory may have become incomplete after it had caught up.
        if (!directory.isComplete()) return this.#plan(record, certificate, context);
        const reason = unclaimedReason(webhooks);
        return this.#undelivered.end(record, context, 'unclaimed', { reason, certificate });
      }
      events.certificateDeviated(certificate.missingFields);
      context.start(fanOut);
    } catch (error) {
      this.#undelivered.failed(record, context, error);
    }
  }

  /** Settles at once after a 2xx, without a promise. */
  #settle(running: RunningDelivery, result: AttemptResult, from?: TierStay): Handled | Promise<Handled> {
    return result.outcome.kind === 'delivered'
      ? this.#enactOutcome(running, result, from)
      : this.#settleIfOwned(running, result, from);
  }

  async #settleIfOwned(running: RunningDelivery, result: AttemptResult, from?: TierStay): Promise<Handled> {
    const isGone = from !== undefined && result.outcome.kind === 'unsubscribed';
    const final = isGone ? await this.#attemptOnceMore(running, result) : result;
    // The next owner of the partition delivers the record. A copy in a tier would deliver it once more.
    if (final.outcome.kind !== 'delivered' && !(await running.context.stillOwned())) return 'abandoned';
    return this.#enactOutcome(running, final, from);
  }

  #enactOutcome(running: RunningDelivery, result: AttemptResult, from?: TierStay): Handled | Promise<Handled> {
    const { delivery } = running;
    const { outcome, startedAt, durationMs } = result;
    const settlement = settle(delivery, outcome, this.#schedule, this.#options.clock.now());
    const attempted = settlement.kind === 'done' ? delivery : withFailure(delivery, outcome, startedAt);
    const published = this.#reporter.ended(
      { delivery: attempted, outcome, settlement, startedAt, durationMs, from },
      running,
    );
    if (settlement.kind !== 'done')
      return unlessAbandoned(published, this.#enact(attempted, settlement, running, outcome));
    return unlessAbandoned(published, outcome.kind === 'unsubscribed' ? 'unsubscribed' : 'delivered');
  }

  /**
   * Attempts a retry again after the directory has caught up, because its webhook was not found.
   * The process that wrote the retry may have known a newer version of the directory than this one.
   */
  async #attemptOnceMore(running: RunningDelivery, result: AttemptResult): Promise<AttemptResult> {
    const { attempts, directory } = this.#options;
    await directory.caughtUp();
    if (!(await running.stillOwned())) return result;
    return new Promise((onResult) => {
      attempts.attempt(running, onResult);
    });
  }

  /** Dead-letters a retry that is too old, unless its webhook is gone: `remove --purge` leaves no dead letter behind. */
  async #expire({ delivery, stay }: Retry, running: RunningDelivery, expired: Unsettled): Promise<Handled> {
    const { directory, clock } = this.#options;
    const isGone = (): boolean => lookUp(delivery, directory) === unsubscribed;
    if (isGone()) {
      // As in `#attemptOnceMore`.
      await directory.caughtUp();
      if (!(await running.stillOwned())) return 'abandoned';
      const result = { outcome: unsubscribed, startedAt: clock.now(), durationMs: 0 };
      if (isGone()) return this.#enactOutcome(running, result, stay);
    }
    return this.#enact(delivery, expired, running);
  }

  /** Writes a retry that is not due to the tier that fits the time left. */
  async #moveOn(retry: Retry, running: RunningDelivery): Promise<Handled> {
    const { delivery, stay } = retry;
    const { clock } = this.#options;
    const dueAtNow = wallTimeAt(clock, stay.dueAtMonotonic);
    // The wall clock has whole milliseconds. If it was not set in the meantime, the sum is off by 1 ms at most.
    const dueAt = Math.abs(dueAtNow - stay.dueAt) <= 1 ? stay.dueAt : dueAtNow;
    const settlement = waitUntil(delivery, this.#schedule, clock.now(), dueAt);
    if (settlement.kind === 'dead') return this.#expire(retry, running, settlement);
    const published = this.#reporter.notDue(delivery, settlement, running.context);
    return unlessAbandoned(published, this.#enact(delivery, settlement, running));
  }

  /** Writes a delivery to a tier or to the dead letters. The outcome is undefined when no attempt was due. */
  async #enact(
    delivery: Delivery,
    settlement: Unsettled,
    running: RunningDelivery,
    outcome?: Outcome,
  ): Promise<Handled> {
    const { context } = running;
    running.write();
    const attemptsMade = outcome !== undefined && isAttempt(outcome) ? delivery.attempt : delivery.attempt - 1;
    switch (settlement.kind) {
      case 'retry':
      case 'defer': {
        const next = forNextAttempt(delivery, settlement);
        const written = await this.#options.retryPublisher.publishRetry(next, settlement, context);
        if (written === 'abandoned') return 'abandoned';
        return written === 'written' ? 'retried' : this.#deadLetter(delivery, 'too_large', attemptsMade, context);
      }
      case 'dead':
        return this.#deadLetter(delivery, settlement.reason, attemptsMade, context);
    }
  }

  async #deadLetter(
    delivery: Delivery,
    reason: DeliveryDeadReason,
    attemptsMade: number,
    context: RecordContext,
  ): Promise<Handled> {
    const { retryPublisher, clock } = this.#options;
    const writtenAs = await retryPublisher.publishDeadLetter(delivery, { reason, attemptsMade, failedAt: clock.now() });
    return unlessAbandoned(this.#reporter.deadLettered(delivery, writtenAs, context), 'dead_lettered');
  }
}
