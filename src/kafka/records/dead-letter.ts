import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadReason, DeliveryDeadReason, RecordDeadReason } from '../../deliveries/settlement.ts';
import { deliveryTexts, sourceTexts } from './envelope.ts';
import { headerNames as names, messageText, outgoingHeaders, timeText, type OutgoingHeaders } from './headers.ts';

export interface DeliveryDeadLetter {
  readonly reason: DeliveryDeadReason;
  readonly attemptsMade: number;
  /** Epoch milliseconds. */
  readonly failedAt: number;
}

export interface RecordDeadLetter {
  readonly reason: RecordDeadReason;
  /** Says nothing of the record's values. */
  readonly message: string;
  /** Epoch milliseconds. */
  readonly failedAt: number;
}

export function deadDeliveryHeaders(delivery: Delivery, death: DeliveryDeadLetter): OutgoingHeaders {
  return outgoingHeaders([
    ...deliveryTexts(delivery, death.attemptsMade),
    [names.failedAt, timeText(death.failedAt)],
    [names.deadLetterReason, death.reason],
  ]);
}

/**
 * Our headers of a record's dead letter. `buriedAs` is `too_large` when the value had to go; why the record is dead
 * stays in `failure-reason`, which tells a record's dead letter from a delivery's.
 */
export function deadRecordHeaders(
  record: SourceRecord,
  death: RecordDeadLetter,
  buriedAs: DeadReason,
): OutgoingHeaders {
  return outgoingHeaders([
    ...sourceTexts(record),
    [names.failedAt, timeText(death.failedAt)],
    [names.failureReason, death.reason],
    [names.failureMessage, messageText(death.message)],
    [names.deadLetterReason, buriedAs],
  ]);
}

/** Names that say something wrong on a record's dead letter, whoever wrote them. */
const misleading: readonly string[] = [names.dueAt, names.replayedAt, names.failureStatus];

/** The record's own headers, then ours: ours win a clash of names. */
export function withOwnHeaders(record: SourceRecord, ours: OutgoingHeaders): OutgoingHeaders {
  const taken = new Set([...ours.map(([name]) => name), ...misleading]);
  return [...record.headers.filter(([name]) => !taken.has(name)), ...ours];
}
