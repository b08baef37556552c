import type { OutgoingHeaders } from '../client/kafka.ts';
import { oneLine } from '../../lib/one-line.ts';

/** Names of all headers that we write on retries, on dead letters and on the markers of replayed dead letters. */
export const headerNames = {
  webhookId: 'webhook-configuration-id',
  ownerId: 'owner-id',
  certificateId: 'certificate-id',
  eventType: 'event-type',
  deliveryId: 'delivery-id',
  attempt: 'attempt',
  deferrals: 'deferrals',
  plannedAt: 'planned-at',
  firstAttemptedAt: 'first-attempted-at',
  dueAt: 'due-at',
  owedResult: 'owed-result',
  failedAt: 'failed-at',
  replayedAt: 'replayed-at',
  sourceTopic: 'source-topic',
  sourcePartition: 'source-partition',
  sourceOffset: 'source-offset',
  sourceTimestamp: 'source-timestamp',
  failureReason: 'failure-reason',
  failureStatus: 'failure-status',
  failureMessage: 'failure-message',
  deadLetterReason: 'dead-letter-reason',
  headersOmitted: 'headers-omitted',
  deadLetterPartition: 'dead-letter-partition',
  deadLetterOffset: 'dead-letter-offset',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

/** Header names with their texts. A header whose text is undefined is not written. */
export type HeaderTexts = readonly (readonly [name: string, text: string | undefined])[];

export function outgoingHeaders(texts: HeaderTexts): OutgoingHeaders {
  const headers: (readonly [string, string])[] = [];
  texts.forEach(([name, text]) => {
    if (text !== undefined) headers.push([name, text]);
  });
  return headers;
}

/** Formats a time as ISO 8601 in UTC with milliseconds. Undefined beyond the range of a date, e.g. for nanoseconds. */
export function timeText(epochMs: number | undefined): string | undefined {
  if (epochMs === undefined) return undefined;
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Returns the text on one line, or undefined if nothing is left of it. */
export function messageText(text: string | undefined): string | undefined {
  const line = text === undefined ? '' : oneLine(text);
  return line === '' ? undefined : line;
}
