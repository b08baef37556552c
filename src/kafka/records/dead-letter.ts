import type { OutgoingHeaders } from '../client/kafka.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { DeadReason } from '../../deliveries/settlement.ts';
import type { DeliveryDeadLetter, RecordDeadLetter } from '../../pipeline/ports.ts';
import { deliveryTexts, sourceTexts } from './envelope.ts';
import { headerNames as names, messageText, outgoingHeaders, timeText } from './headers.ts';

export function deadDeliveryHeaders(delivery: Delivery, deadLetter: DeliveryDeadLetter): OutgoingHeaders {
  return outgoingHeaders([
    ...deliveryTexts(delivery, deadLetter.attemptsMade),
    [names.failedAt, timeText(deadLetter.failedAt)],
    [names.deadLetterReason, deadLetter.reason],
  ]);
}

/**
 * Returns the headers that we add to a record's dead letter. `writtenReason` is `too_large` when the value was dropped, too.
 * `failure-reason` always holds the original reason. It distinguishes a record's dead letter from a delivery's.
 */
export function deadRecordHeaders(
  record: SourceRecord,
  deadLetter: RecordDeadLetter,
  writtenReason: DeadReason,
): OutgoingHeaders {
  return outgoingHeaders([
    ...sourceTexts(record),
    [names.failedAt, timeText(deadLetter.failedAt)],
    [names.failureReason, deadLetter.reason],
    [names.failureMessage, messageText(deadLetter.message)],
    [names.deadLetterReason, writtenReason],
    [names.headersOmitted, record.headersOmitted?.toString()],
  ]);
}

/** Headers that would be misread on a record's dead letter, so they are not copied from the record. */
const misleading: readonly string[] = [names.dueAt, names.replayedAt, names.failureStatus, names.headersOmitted];

/** Returns the record's own headers, then ours. Ours replace those of the same name. */
export function withOwnHeaders(record: SourceRecord, ours: OutgoingHeaders): OutgoingHeaders {
  const taken = new Set([...ours.map(([name]) => name), ...misleading]);
  return [...record.headers.filter(([name]) => !taken.has(name)), ...ours];
}
