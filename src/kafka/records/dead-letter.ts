import type { OutgoingHeaders } from '../client/kafka.ts';
import { type SourceRecord, headerText } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { type DeadReason, deadReasons, recordDeadReasons } from '../../deliveries/settle.ts';
import type { DeliveryDeadLetter, RecordDeadLetter } from '../../pipeline/ports.ts';
import { deliveryTexts, sourceTexts } from './envelope.ts';
import { headerNames as names, headerTime, messageText, outgoingHeaders, timeText, HeaderReader } from './headers.ts';
import { deadLetterPosition, sourceName, type DeadLetterRecord } from './replay-headers.ts';

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
const misleading: readonly string[] = [
  names.dueAt,
  names.replayedAt,
  names.purgedAt,
  names.failureStatus,
  names.headersOmitted,
];

/** Returns the record's own headers, then ours. Ours replace those of the same name. */
export function withOwnHeaders(record: SourceRecord, ours: OutgoingHeaders): OutgoingHeaders {
  const taken = new Set([...ours.map(([name]) => name), ...misleading]);
  return [...record.headers.filter(([name]) => !taken.has(name)), ...ours];
}

/**
 * A delivery's or a record's dead letter. A record has one when it never became a delivery, or when our code threw on it.
 */
export interface DeadLetter extends DeadLetterRecord {
  readonly reason: DeadReason | undefined;
  /** Undefined for the dead letter of a record. The headers that such a record came with are not ours. */
  readonly webhookId: string | undefined;
  readonly ownerId: string | undefined;
  readonly certificateId: string | undefined;
  /** The time at which it failed, in epoch milliseconds. */
  readonly at: number;
  /** The certificate record's position, as `topic/partition/offset`. */
  readonly source: string;
}

/**
 * Reads a record of the dead-letter topic: a dead letter, or the marker of one that was replayed or purged. `of` is the position
 * of that dead letter, if the marker names one.
 */
export function readDeadLetter(record: SourceRecord) {
  const { headers, value } = record;
  const source = sourceName(headers);
  const isMarker = value === null && headerText(headers, names.replayedAt) !== undefined;
  const isPurge = headerText(headers, names.purgedAt) !== undefined;
  if (isMarker) return { kind: 'marker', isPurge, of: deadLetterPosition(headers), source } as const;
  const of = isOfRecord(record) ? 'record' : 'delivery';
  const idIn = (name: string): string | undefined => (of === 'delivery' ? headerText(headers, name) : undefined);
  const reasonText = headerText(headers, names.deadLetterReason);
  const letter: DeadLetter = {
    record,
    of,
    reason: deadReasons.find((reason) => reason === reasonText),
    webhookId: idIn(names.webhookId),
    ownerId: idIn(names.ownerId),
    certificateId: idIn(names.certificateId),
    at: headerTime(headers, names.failedAt) ?? record.timestamp ?? 0,
    source,
  };
  return { kind: 'letter', letter } as const;
}

/** Uses `failure-reason`, which keeps the record's own reason when the dead letter was written as `too_large`. */
function isOfRecord({ headers }: SourceRecord): boolean {
  const reason = headerText(headers, names.failureReason);
  return recordDeadReasons.some((one) => one === reason);
}

/** Returns the record that a record's dead letter holds. Undefined when its headers do not name its position. */
export function originalRecord(letter: SourceRecord): SourceRecord | undefined {
  const reader = new HeaderReader(letter.headers);
  const topic = reader.required(names.sourceTopic);
  const partition = reader.count(names.sourcePartition, -1);
  const offset = reader.count(names.sourceOffset, -1);
  const timestamp = reader.time(names.sourceTimestamp);
  if (reader.problem !== undefined || partition < 0 || offset < 0) return undefined;
  const headers = letter.headers.filter(([name]) => !ours.has(name));
  const record = { topic, partition, offset, timestamp, key: letter.key, value: letter.value, headers };
  // Without its headers, it may count as another event.
  return headerText(letter.headers, names.headersOmitted) === 'true' ? { ...record, headersOmitted: true } : record;
}

/**
 * Gives a tier's record the position of the certificate record that its delivery comes from. The dead letter has overwritten
 * the headers that named it, so it is read from the delivery's id. Returns the record unchanged if the id names none.
 */
export function withSourcePosition(record: SourceRecord): SourceRecord {
  return { ...record, ...sourcePositionOf(headerText(record.headers, names.deliveryId) ?? '')?.source };
}

/** Returns the position of the certificate record and the id of the webhook, of which the id of a delivery is made. */
export function sourcePositionOf(deliveryId: string) {
  const [, topic, partition, offset, webhookId] = /^([\w.-]+)\/(\d{1,9})\/(\d{1,15})\/(.*)$/s.exec(deliveryId) ?? [];
  if (topic === undefined || webhookId === undefined) return undefined;
  return { source: { topic, partition: Number(partition), offset: Number(offset) }, webhookId };
}

const ours: ReadonlySet<string> = new Set([
  names.sourceTopic,
  names.sourcePartition,
  names.sourceOffset,
  names.sourceTimestamp,
  names.failedAt,
  names.failureReason,
  names.failureMessage,
  names.deadLetterReason,
  names.headersOmitted,
]);
