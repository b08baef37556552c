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
  type AssignmentLife,
  type Handled,
  type Handoff,
  type RecordLife,
  type RecordResult,
  type Retry,
  type TierStay,
} from './ports.ts';

export interface PipelineParts {
  readonly decode: (record: SourceRecord, now: number) => Decoded;
  readonly directory: Directory;
  readonly attempts: Pick<Attempts, 'attempt'>;
  readonly handoff: Handoff;
  readonly schedule: Schedule;
  readonly events: PipelineEvents;
  readonly clock: Clock;
}

/**
 * The story of a record: read it, plan its deliveries, deliver each, settle by the outcome, enact the settlement.
 * Retries enter at the third verb and share all that follows.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #forecast = new Forecast();

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** First attempts that are about to come, presumably. */
  get expected(): number {
    return this.#forecast.deliveries;
  }

  /** Resolves once the record is settled, or with `abandoned` when its assignment was over before that. */
  handleCertificate(record: SourceRecord, life: RecordLife): Promise<Handled> {
    return this.#guarded(record, life, () => {
      const decoded = this.#parts.decode(record, this.#parts.clock.now());
      switch (decoded.kind) {
        case 'ignored':
          return 'ignored';
        case 'rejected':
          return this.#reject(record, decoded.rejection);
        case 'certificate':
          return this.#handlePlanned(record, decoded.certificate, life);
      }
    });
  }

  /** A delivery that a tier lets go of: attempted when it is due, else on its way to the next tier. */
  handleRetry(retry: Retry, life: RecordLife): Promise<Handled> {
    const { clock } = this.#parts;
    return this.#guarded(retry.record, life, async () => {
      // It has waited for its time, and may be somebody else's by now.
      if (!(await life.isConfirmed())) return 'abandoned';
      if (retry.stay.dueAt > clock.now()) return this.#moveOn(retry, life);
      return this.#deliver(retry.delivery, 'retry', life, retry.stay);
    });
  }

  /** A record of a tier that is no delivery. */
  handleUnreadable(record: SourceRecord, problem: string, assignment: AssignmentLife): Promise<Handled> {
    const rejection: Rejection = { reason: 'undecodable', message: problem };
    return this.#guarded(record, assignment, () => this.#reject(record, rejection));
  }

  async #handlePlanned(record: SourceRecord, certificate: Certificate, life: RecordLife): Promise<Handled> {
    const deliveries = await this.#plan(record, certificate, life);
    if (deliveries === undefined) return 'abandoned';
    const [only] = deliveries;
    if (only === undefined) return 'unclaimed';
    this.#parts.events.certificateDeviated(certificate.missingFields);
    if (deliveries.length === 1) return this.#deliver(only, 'first', life);
    life.becomes(deliveries.length);
    return firstThatApplies(await all(deliveries.map(async (delivery) => this.#deliverOneOfSeveral(delivery, life))));
  }

  /** Undefined when the assignment is over by then. */
  async #plan(
    record: SourceRecord,
    certificate: Certificate,
    assignment: AssignmentLife,
  ): Promise<readonly Delivery[] | undefined> {
    const { directory, clock } = this.#parts;
    let deliveries: readonly Delivery[] | undefined;
    this.#forecast.looking();
    try {
      await directory.caughtUp();
      // It may have taken as long as Kafka was away, and the record is somebody else's by now.
      if (await assignment.isConfirmed())
        deliveries = plan(record, certificate, directory.ofOwner(certificate.ownerId), clock.now());
      return deliveries;
    } finally {
      this.#forecast.looked(deliveries?.length);
    }
  }

  async #deliverOneOfSeveral(delivery: Delivery, life: RecordLife): Promise<Handled> {
    try {
      return await this.#deliver(delivery, 'first', life);
    } finally {
      life.setAside();
    }
  }

  async #deliver(delivery: Delivery, pool: Pool, life: RecordLife, from?: TierStay): Promise<Handled> {
    const { attempts, schedule, clock } = this.#parts;
    const attempted = await attempts.attempt(delivery, pool, life);
    const isGone = pool === 'retry' && attempted.outcome.kind === 'unsubscribed';
    const { outcome, startedAt } = isGone ? await this.#attemptOnceMore(delivery, attempted, life) : attempted;
    const endedAt = clock.now();
    // Whoever reads the record next delivers it: a copy in a tier besides would be one too many.
    if (outcome.kind !== 'delivered' && !(await life.isConfirmed())) return 'abandoned';
    const settlement = settle(delivery, outcome, schedule, endedAt);
    const settled = withFailure(delivery, outcome, startedAt);
    this.#tell({ delivery: settled, outcome, settlement, startedAt, endedAt, from });
    return this.#enact(settled, settlement, life, outcome);
  }

  /**
   * A tier may be read by a process whose directory is behind that of the one which wrote to it: a webhook that seems to
   * be gone is looked for again in a directory that has caught up.
   */
  async #attemptOnceMore(delivery: Delivery, attempted: Attempted, life: RecordLife): Promise<Attempted> {
    const { attempts, directory } = this.#parts;
    await directory.caughtUp();
    return (await life.isConfirmed()) ? attempts.attempt(delivery, 'retry', life) : attempted;
  }

  async #moveOn({ delivery, stay }: Retry, life: RecordLife): Promise<Handled> {
    const { events, schedule, clock } = this.#parts;
    const settlement = waitForSlot(delivery, schedule, clock.now(), stay.dueAt);
    events.deliveryDeferred({ delivery, reason: 'not_due', failure: delivery.lastFailure, settlement });
    return this.#enact(delivery, settlement, life);
  }

  async #enact(delivery: Delivery, settlement: Settlement, life: RecordLife, outcome?: Outcome): Promise<Handled> {
    const attemptsMade = outcome !== undefined && isAttempt(outcome) ? delivery.attempt : delivery.attempt - 1;
    switch (settlement.kind) {
      case 'done':
        return outcome?.kind === 'unsubscribed' ? 'unsubscribed' : 'delivered';
      case 'retry':
      case 'defer': {
        const written = await this.#parts.handoff.schedule(asNext(delivery, settlement), settlement, life);
        if (written === 'abandoned') return 'abandoned';
        return written === 'written' ? 'retried' : this.#bury(delivery, 'too_large', attemptsMade);
      }
      case 'dead':
        return this.#bury(delivery, settlement.reason, attemptsMade);
    }
  }

  async #bury(delivery: Delivery, reason: DeliveryDeadReason, attemptsMade: number): Promise<RecordResult> {
    const { handoff, events, clock } = this.#parts;
    const buriedAs = await handoff.buryDelivery(delivery, { reason, attemptsMade, failedAt: clock.now() });
    events.deliveryBuried(delivery, buriedAs);
    return 'dead_lettered';
  }

  async #reject(record: SourceRecord, rejection: Rejection): Promise<RecordResult> {
    const { handoff, events, clock } = this.#parts;
    events.recordRejected(record, rejection);
    await handoff.buryRecord(record, { ...rejection, failedAt: clock.now() });
    return 'dead_lettered';
  }

  /** A record that our own code can't handle is buried: a crash would meet it again. */
  async #guarded(
    record: SourceRecord,
    assignment: AssignmentLife,
    handle: () => Handled | Promise<Handled>,
  ): Promise<Handled> {
    const { handoff, events, clock } = this.#parts;
    try {
      return await handle();
    } catch (error) {
      if (assignment.isOver) return 'abandoned';
      events.recordFailed(record, error);
      const message = error instanceof Error ? error.name : 'unknown error';
      await handoff.buryRecord(record, { reason: 'internal_error', message, failedAt: clock.now() });
      return 'dead_lettered';
    }
  }

  #tell(attempted: DeliveryAttempted): void {
    const { events } = this.#parts;
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
