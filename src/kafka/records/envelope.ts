import type { OutgoingHeaders } from '../client/kafka.ts';
import { eventTypes } from '../../certificates/certificate.ts';
import { maxIdBytes } from '../../certificates/certificate-schema.ts';
import { type SourceRecord, recordExcess, readTrace } from '../../certificates/record.ts';
import type { Delivery, Failure, Source } from '../../deliveries/delivery.ts';
import { attemptOutcomes, deferOutcomes, type OutcomeKind } from '../../deliveries/outcome.ts';
import {
  HeaderReader,
  headerNames as names,
  messageText,
  outgoingHeaders,
  timeText,
  type HeaderTexts,
} from './headers.ts';
import { isResult } from './result.ts';

/** A record that the results topic has not taken yet. Its delivery is settled, so it is written to a tier without it. */
export interface OwedResult {
  readonly key: Buffer | null;
  readonly value: Buffer;
  /** The partition of the tiers that it is written to. */
  readonly partition: number;
  /** The times that it was written to a tier. */
  readonly timesOwed: number;
}

/** The delivery that a retry or a dead letter holds, or the result that a tier holds, or the reason why it can't be read. */
type Envelope =
  | {
      readonly kind: 'delivery';
      readonly delivery: Delivery;
      /** Epoch milliseconds; undefined on a dead letter. */
      readonly dueAt: number | undefined;
    }
  | { readonly kind: 'result'; readonly result: OwedResult; readonly dueAt: number | undefined }
  /** `problem` names headers, never their values. */
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Returns the headers of a retry. `delivery.attempt` is the next attempt, while the header counts the attempts made. */
export function retryHeaders(delivery: Delivery, dueAt: number): OutgoingHeaders {
  return outgoingHeaders([...deliveryTexts(delivery, delivery.attempt - 1), [names.dueAt, timeText(dueAt)]]);
}

/**
 * Returns the headers of a result in a tier. They name no delivery: a version that does not know them writes the record to the
 * dead letters, and sends nothing.
 */
export function owedResultHeaders(timesOwed: number, dueAt: number): OutgoingHeaders {
  return outgoingHeaders([
    [names.owedResult, String(timesOwed)],
    [names.dueAt, timeText(dueAt)],
  ]);
}

/** Returns the headers that retries and dead letters of a delivery have in common. */
export function deliveryTexts(delivery: Delivery, attemptsMade: number): HeaderTexts {
  return [
    [names.webhookId, delivery.webhookId],
    [names.ownerId, delivery.ownerId],
    [names.certificateId, delivery.certificateId],
    [names.eventType, delivery.eventType],
    [names.deliveryId, delivery.deliveryId],
    [names.attempt, String(attemptsMade)],
    [names.deferrals, String(delivery.deferrals)],
    [names.plannedAt, timeText(delivery.plannedAt)],
    [names.firstAttemptedAt, timeText(delivery.firstAttemptedAt)],
    ...sourceTexts(delivery.source),
    [names.failureReason, delivery.lastFailure?.reason],
    [names.failureStatus, delivery.lastFailure?.status?.toString()],
    [names.failureMessage, messageText(delivery.lastFailure?.message)],
    [names.traceparent, delivery.trace.traceparent],
    [names.tracestate, delivery.trace.tracestate],
  ];
}

export function sourceTexts(source: Source): HeaderTexts {
  return [
    [names.sourceTopic, source.topic],
    [names.sourcePartition, String(source.partition)],
    [names.sourceOffset, String(source.offset)],
    [names.sourceTimestamp, timeText(source.timestamp)],
  ];
}

/**
 * Reads the delivery from a retry or from a delivery's dead letter.
 *
 * - The ids and the event type are required.
 * - Counts, times and the source have defaults, because another version may not have written them. One that is present
 *   but malformed makes the envelope unreadable.
 * - The failure headers only describe the past. An unknown value there is ignored.
 */
export function readEnvelope(record: SourceRecord): Envelope {
  const excess = recordExcess(record, Number.POSITIVE_INFINITY);
  if (excess !== undefined) return { kind: 'unreadable', problem: excess };
  const headers = new HeaderReader(record.headers);
  const timesOwed = headers.count(names.owedResult, 0);
  if (timesOwed > 0) return readOwedResult(record, timesOwed, headers);
  const plannedAt = headers.time(names.plannedAt) ?? record.timestamp;
  const delivery = {
    deliveryId: headers.required(names.deliveryId, maxDeliveryIdBytes),
    webhookId: headers.required(names.webhookId),
    ownerId: headers.required(names.ownerId),
    certificateId: headers.required(names.certificateId),
    eventType: headers.oneOf(names.eventType, eventTypes),
    key: record.key,
    source: readSource(headers, record),
    trace: readTrace(record.headers),
    attempt: headers.count(names.attempt, 0) + 1,
    deferrals: headers.count(names.deferrals, 0),
    firstAttemptedAt: headers.time(names.firstAttemptedAt),
    lastFailure: readFailure(headers),
  };
  const dueAt = headers.time(names.dueAt);
  if (headers.problem !== undefined) return { kind: 'unreadable', problem: headers.problem };
  if (record.value === null) return { kind: 'unreadable', problem: 'there is no value to send' };
  if (plannedAt === undefined) return { kind: 'unreadable', problem: `the header ${names.plannedAt} is missing` };
  return { kind: 'delivery', delivery: { ...delivery, body: record.value, plannedAt }, dueAt };
}

function readOwedResult({ key, value, partition }: SourceRecord, timesOwed: number, headers: HeaderReader): Envelope {
  const dueAt = headers.time(names.dueAt);
  if (headers.problem !== undefined) return { kind: 'unreadable', problem: headers.problem };
  if (value === null || !isResult(value)) return { kind: 'unreadable', problem: 'the value is no result' };
  return { kind: 'result', result: { key, value, partition, timesOwed }, dueAt };
}

/** The id of a webhook, after the name of a topic (249 bytes), a partition and an offset. */
const maxDeliveryIdBytes = maxIdBytes + 300;

/** Defaults to the position of the record itself, so that the next write goes to the same partition. */
function readSource(headers: HeaderReader, record: SourceRecord): Source {
  return {
    topic: headers.text(names.sourceTopic) ?? record.topic,
    partition: headers.count(names.sourcePartition, record.partition),
    offset: headers.count(names.sourceOffset, record.offset),
    timestamp: headers.time(names.sourceTimestamp),
  };
}

const outcomeKinds: readonly OutcomeKind[] = [...attemptOutcomes, ...deferOutcomes, 'unsubscribed'];

function readFailure(headers: HeaderReader): Failure | undefined {
  const reason = outcomeKinds.find((kind) => kind === headers.optional(names.failureReason));
  if (reason === undefined) return undefined;
  const status = headers.optional(names.failureStatus);
  return {
    reason,
    status: status !== undefined && /^\d{3}$/.test(status) ? Number(status) : undefined,
    message: messageText(headers.optional(names.failureMessage)),
  };
}
