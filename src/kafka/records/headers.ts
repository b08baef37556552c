import { oneLine } from '../../lib/one-line.ts';

/** The names of every header that we write, on retries, dead letters and the markers of replayed ones. */
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
  deadLetterPartition: 'dead-letter-partition',
  deadLetterOffset: 'dead-letter-offset',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

/** What a header is to say: undefined for one that is left out. */
export type HeaderTexts = readonly (readonly [name: string, text: string | undefined])[];

/**
 * Headers of a record that is to be written. A text becomes UTF-8 when the record is encoded, and no sooner: a record waits
 * for company before that, and would weigh more with a buffer for each of its headers.
 */
export type OutgoingHeaders = readonly (readonly [name: string, value: string | Buffer])[];

/** Each header once. */
export function outgoingHeaders(texts: HeaderTexts): OutgoingHeaders {
  const headers: (readonly [string, string])[] = [];
  texts.forEach(([name, text]) => {
    if (text !== undefined) headers.push([name, text]);
  });
  return headers;
}

/** ISO 8601 UTC with milliseconds; undefined for what no date can hold, such as a producer's nanoseconds. */
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
