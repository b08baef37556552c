import type { SourceRecord } from '../certificates/record.ts';
import type { WaitTracking } from '../deliveries/attempts.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { DeadReason, DeliveryDeadReason, RecordDeadReason } from '../deliveries/settlement.ts';

export type Handled = RecordResult | 'abandoned';

/** The time for which a partition is this process's. What comes later changes nothing of the partition. */
export interface AssignmentContext {
  readonly revoked: boolean;
  /** Whether it is; while the group may have given the partition to others, a promise of that. */
  stillOwned(): boolean | Promise<boolean>;
}

/** A record under way. Of what this process has to do at present, it is part while it waits for nobody else. */
export interface RecordContext extends AssignmentContext, WaitTracking {
  /** It has come to so many deliveries. Each of them that is settled is set aside. */
  expectDeliveries(deliveries: number): void;
}

/** A delivery read back from a tier. */
export interface Retry {
  readonly record: SourceRecord;
  readonly delivery: Delivery;
  readonly stay: TierStay;
}

/** What a record came to. Of several deliveries the first that applies, in this order. */
export const recordResults = ['dead_lettered', 'retried', 'delivered', 'unsubscribed', 'unclaimed', 'ignored'] as const;
export type RecordResult = (typeof recordResults)[number];

export interface TierStay {
  readonly tier: string;
  readonly dueAt: number;
}

/** Durable publication. Each call resolves once all in-sync replicas have the record, however long that takes. */
export interface RetryPublisher {
  /**
   * Writes the delivery to a tier (counted from zero) as it is to be attempted next. It is set aside while it waits for
   * others to share its batch.
   * `too_large`: the broker refuses it for its size, for good. `abandoned`: it had not been sent when the assignment was over.
   */
  publishRetry(
    delivery: Delivery,
    to: { readonly tier: number; readonly dueAt: number },
    context: RecordContext,
  ): Promise<'written' | 'too_large' | 'abandoned'>;
  /** Resolves to the reason it was buried under: `too_large`, and without its value, when the broker refused that. */
  publishDeadLetter(
    delivery: Delivery,
    why: { readonly reason: DeliveryDeadReason; readonly attemptsMade: number; readonly failedAt: number },
  ): Promise<DeadReason>;
  publishRecordDeadLetter(
    record: SourceRecord,
    why: { readonly reason: RecordDeadReason; readonly message: string; readonly failedAt: number },
  ): Promise<DeadReason>;
}
