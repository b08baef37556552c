import type { SourceRecord } from '../certificates/record.ts';
import type { AttemptResult } from '../deliveries/attempt-result.ts';
import type { Delivery, Failure } from '../deliveries/delivery.ts';
import type { DeliveryCursor } from '../flow/window.ts';
import type { DeadReason, DeliveryDeadReason, RecordDeadReason, Settlement } from '../deliveries/settle.ts';
import type { Rejection } from '../certificates/certificate.ts';
import type { Outcome } from '../deliveries/outcome.ts';

/** `abandoned`: the record is not settled, because its partition is no longer assigned to this process. */
export type Handled = RecordResult | 'abandoned';

/** One assignment of a partition to this process, as the code that handles its records sees it. */
export interface AssignmentContext {
  /** True once the assignment has ended. Records of it are then never settled by this process. */
  readonly revoked: boolean;
  /** True once requests in flight are cut off, because the partitions are given up. What is left is handed to the tiers. */
  readonly isCutOff: boolean;
  /** Returns whether the partition is still ours. Waits while the group may have given it to another process. */
  stillOwned(): boolean | Promise<boolean>;
}

export interface RecordContext extends AssignmentContext {
  /** A monotonic time at which the record was in its log. It may have been written before. */
  readonly inLogSince: number;
  /** Notes that the record is held for this time before its deliveries start. Called before `handle` returns, if at all. */
  noteHold(ms: number): void;
  /** Starts the record's deliveries, each as soon as flow control allows. Called at most once. */
  start(deliveries: DeliveryCursor): void;
  /**
   * Ends the handling of the record: with its result once it is settled, or with `abandoned` when its assignment ended before
   * that. Called once, unless `fail` is. Does not throw.
   */
  end(handled: Handled): void;
  /** Ends the handling of a record that can be neither settled nor dead-lettered. Does not throw. */
  fail(error: unknown): void;
}

/** A delivery read back from a tier. */
export interface Retry {
  readonly record: SourceRecord;
  readonly delivery: Delivery;
  readonly stay: TierStay;
}

/**
 * The results of a record. With several deliveries the first result of this list that one of them has is the record's.
 */
export const recordResults = ['dead_lettered', 'retried', 'delivered', 'unsubscribed', 'unclaimed', 'ignored'] as const;
export type RecordResult = (typeof recordResults)[number];

/** A tier that a delivery was read from. */
export interface TierStay {
  /** The tier's delay as its topic is named, e.g. `10m`. */
  readonly tier: string;
  /** The wall time at which it was read. It may be held after that until it is due. */
  readonly readAt: number;
  /** The wall time in the record. */
  readonly dueAt: number;
  /** The monotonic time at which the delivery is due. The wall clock may have been set since the record was written. */
  readonly dueAtMonotonic: number;
}

/** Durable publication. Each call resolves once all in-sync replicas have the record, however long that takes. */
export interface RetryPublisher {
  /**
   * Writes the delivery to a tier (counted from zero).
   *
   * - `too_large`: the broker refuses the record for its size, for good.
   * - `abandoned`: the assignment ended before the record was sent.
   */
  publishRetry(
    delivery: Delivery,
    to: { readonly tier: number; readonly dueAt: number },
    assignment: AssignmentContext,
  ): Promise<'written' | 'too_large' | 'abandoned'>;
  /**
   * Resolves to the reason in the dead letter.
   * The reason is `too_large`, without the value, when the broker refused the whole record for its size.
   */
  publishDeadLetter(delivery: Delivery, deadLetter: DeliveryDeadLetter): Promise<DeadReason>;
  publishRecordDeadLetter(record: SourceRecord, deadLetter: RecordDeadLetter): Promise<DeadReason>;
}

export interface DeliveryDeadLetter {
  readonly reason: DeliveryDeadReason;
  readonly attemptsMade: number;
  readonly failedAt: number;
}

export interface RecordDeadLetter {
  readonly reason: RecordDeadReason;
  /** Must not contain values of the record. */
  readonly message: string;
  readonly failedAt: number;
}

/** The business events of the pipeline. Each becomes at most one log line, and moves the metrics that belong to it. */
export interface PipelineEvents {
  recordConsumed(record: SourceRecord): void;
  recordSettled(record: SourceRecord, result: RecordResult): void;
  recordRejected(record: SourceRecord, rejection: Rejection): void;
  /** Our own code threw while it handled the record. */
  recordFailed(record: SourceRecord, error: unknown): void;
  certificateDeviated(missingFields: readonly string[]): void;
  deliveryAttempted(attempted: DeliveryAttempted): void;
  deliveryDeferred(deferred: DeliveryDeferred): void;
  deliveryUnsubscribed(delivery: Delivery): void;
  deliveryDeadLettered(delivery: Delivery, reason: DeadReason): void;
}

export interface DeliveryAttempted extends AttemptResult {
  readonly delivery: Delivery;
  readonly settlement: Settlement;
  /** The tier that a retry was read from; undefined for a first attempt. */
  readonly from: TierStay | undefined;
}

export interface DeliveryDeferred {
  readonly delivery: Delivery;
  readonly reason: Outcome['kind'] | 'not_due';
  readonly failure: Failure | undefined;
  readonly settlement: Settlement;
}
