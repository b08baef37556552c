import type { Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import type { Delivery, Failure } from '../deliveries/delivery.ts';
import type { Outcome } from '../deliveries/outcome.ts';
import type { DeadReason, Settlement } from '../deliveries/settlement.ts';
import type { RecordResult, TierStay } from './ports.ts';

/** What the pipeline tells: each is one business event, at most one log line and the metrics that go with it. */
export interface PipelineEvents {
  recordConsumed(record: SourceRecord): void;
  recordSettled(record: SourceRecord, result: RecordResult): void;
  recordRejected(record: SourceRecord, rejection: Rejection): void;
  /** Our own code threw on it. */
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
  /** When the attempt left the waiting room. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Where it waited: the tier's delay as its topic is named, e.g. `10m`, and when it was due. */
  readonly from: TierStay | undefined;
}

export interface DeliveryDeferred {
  readonly delivery: Delivery;
  readonly reason: Outcome['kind'] | 'not_due';
  readonly failure: Failure | undefined;
  readonly settlement: Settlement;
}
