import type { Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import type { Delivery, Failure } from '../deliveries/delivery.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { DeadReason, Settlement } from '../deliveries/settlement.ts';
import type { RecordResult, TierStay } from './ports.ts';

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

export interface DeliveryAttempted {
  readonly delivery: Delivery;
  readonly outcome: Outcome;
  readonly settlement: Settlement;
  /** The time when the attempt left the waiting room, in epoch milliseconds like every `…At`. */
  readonly startedAt: number;
  /** The time from then to the outcome, by the monotonic clock. */
  readonly durationMs: number;
  /** The tier that a retry was read from; undefined for a first attempt. */
  readonly from: TierStay | undefined;
}

export interface DeliveryDeferred {
  readonly delivery: Delivery;
  readonly reason: Outcome['kind'] | 'not_due';
  readonly failure: Failure | undefined;
  readonly settlement: Settlement;
}
