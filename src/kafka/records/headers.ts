import type { OutgoingHeaders } from '../client/kafka.ts';
import { oneLine } from '../../lib/printable.ts';
import { isUtf8 } from 'node:buffer';
import { maxIdBytes } from '../../certificates/certificate-schema.ts';
import { headerText, lastHeader, type RecordHeaders } from '../../certificates/record.ts';

/** Names of all headers that we write on retries, on dead letters and on the markers of replayed and purged dead letters. */
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
  purgedAt: 'purged-at',
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

/** Reads an ISO 8601 time in UTC, as epoch milliseconds. Undefined if the header is missing or malformed. */
export function headerTime(headers: RecordHeaders, name: string): number | undefined {
  const reader = new HeaderReader(headers);
  const time = reader.time(name);
  return reader.problem === undefined ? time : undefined;
}

/** Returns the text on one line, or undefined if nothing is left of it. */
export function messageText(text: string | undefined): string | undefined {
  const line = text === undefined ? '' : oneLine(text);
  return line === '' ? undefined : line;
}

/** A whole number as the text of a header. */
export const countPattern = /^\d{1,15}$/;
const timePattern = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Reads the headers of a record and collects what is wrong with them. The methods return a fallback for a header that is
 * missing or malformed. After the last one, the caller checks `problem` and discards all results if it is set.
 */
export class HeaderReader {
  readonly #headers: RecordHeaders;
  readonly #problems: string[] = [];

  constructor(headers: RecordHeaders) {
    this.#headers = headers;
  }

  /** Everything that was wrong so far. It names headers, never their values. */
  get problem(): string | undefined {
    return this.#problems.length === 0 ? undefined : this.#problems.join('; ');
  }

  optional(name: string): string | undefined {
    return headerText(this.#headers, name);
  }

  /**
   * Reads a text that is there exactly as it was written. Other bytes than UTF-8 would be compared as another text, and a
   * longer text could fit into no dead letter.
   */
  text(name: string, maxBytes = maxIdBytes): string | undefined {
    const bytes = lastHeader(this.#headers, name);
    if (bytes === undefined) return undefined;
    if (isUtf8(bytes) && bytes.length <= maxBytes) return bytes.toString('utf8');
    return this.#addProblem(`the header ${name} is not UTF-8 of at most ${maxBytes} bytes`, '');
  }

  required(name: string, maxBytes = maxIdBytes): string {
    return this.text(name, maxBytes) ?? this.#addProblem(`the header ${name} is missing`, '');
  }

  oneOf<Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice {
    const text = this.required(name);
    const known = choices.find((choice) => choice === text);
    return known ?? this.#addProblem(`the header ${name} is none of ${choices.join(', ')}`, choices[0]);
  }

  /** Reads a whole number from zero on. */
  count(name: string, otherwise: number): number {
    const text = this.optional(name);
    if (text === undefined) return otherwise;
    return countPattern.test(text) ? Number(text) : this.#addProblem(`the header ${name} is no whole number`, 0);
  }

  /** Reads an ISO 8601 time in UTC, as epoch milliseconds. */
  time(name: string): number | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    const epochMs = timePattern.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(epochMs) ? this.#addProblem(`the header ${name} is no ISO 8601 time in UTC`, 0) : epochMs;
  }

  #addProblem<Fallback>(problem: string, fallback: Fallback): Fallback {
    this.#problems.push(problem);
    return fallback;
  }
}
