import type { Rejection } from './certificates/certificate.ts';
import type { SourceRecord } from './certificates/record.ts';
import type { Delivery, Failure } from './deliveries/delivery.ts';
import type { Outcome } from './deliveries/outcome.ts';
import type { DeadReason, DeliveryDeadReason, RecordDeadReason, Settlement } from './deliveries/settlement.ts';

/** What a record came to. Of several deliveries the first that applies, in this order. */
export const recordResults = ['dead_lettered', 'retried', 'delivered', 'unsubscribed', 'unclaimed', 'ignored'] as const;
export type RecordResult = (typeof recordResults)[number];

/** Durable publication. Each call resolves once all in-sync replicas have the record, however long that takes. */
export interface Handoff {
  /**
   * Writes the delivery to a tier (counted from zero) as it is to be attempted next.
   * `too_large`: the broker refuses it for its size, for good.
   */
  schedule(delivery: Delivery, to: { readonly tier: number; readonly dueAt: number }): Promise<'written' | 'too_large'>;
  /** Resolves to the reason it was buried under: `too_large`, and without its value, when the broker refused that. */
  buryDelivery(
    delivery: Delivery,
    why: { readonly reason: DeliveryDeadReason; readonly failedAt: number },
  ): Promise<DeadReason>;
  buryRecord(
    record: SourceRecord,
    why: { readonly reason: RecordDeadReason; readonly message: string; readonly failedAt: number },
  ): Promise<DeadReason>;
}

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
  deliveryBuried(delivery: Delivery, reason: DeadReason): void;
}

export interface DeliveryAttempted {
  readonly delivery: Delivery;
  readonly outcome: Outcome;
  readonly settlement: Settlement;
  /** When the attempt left the waiting room. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** From a tier: that tier (counted from zero) and when the delivery was due there. */
  readonly from: { readonly tier: number; readonly dueAt: number } | undefined;
}

export interface DeliveryDeferred {
  readonly delivery: Delivery;
  readonly reason: Outcome['kind'] | 'not_due';
  readonly failure: Failure | undefined;
  readonly settlement: Settlement;
}
