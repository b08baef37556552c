import { formatSize } from '../lib/units.ts';

/** Header names and values in the order of the record. A name may occur several times, and a value may be null. */
export type RecordHeaders = readonly (readonly [name: string, value: Buffer | null])[];

/** One Kafka message as received. Its buffers are copies, so they do not keep the fetch response in memory. */
export interface SourceRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds. Undefined when the record has no timestamp. */
  readonly timestamp: number | undefined;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;
  /** True if it has more headers than a record may have. None of them is there then. */
  readonly headersOmitted?: true;
}

/** Returns the last value of that name, like Kafka's `lastHeader`. An empty value and null count as absent. */
export function lastHeader(headers: RecordHeaders, name: string): Buffer | undefined {
  const value = headers.findLast(([key]) => key === name)?.[1];
  return value === undefined || value === null || value.length === 0 ? undefined : value;
}

/** Returns the text of the last value of that name. Bytes that are not UTF-8 are replaced. */
export function headerText(headers: RecordHeaders, name: string): string | undefined {
  return lastHeader(headers, name)?.toString('utf8');
}

/** The headers that a record may have, and the bytes of their names and values. In a batch one may take two bytes. */
export const headerLimits = { count: 1000, bytes: 64 * 1024 };
export type HeaderLimits = Readonly<typeof headerLimits>;

/**
 * Bytes of memory that a record and a header cost beside their content, in a fetch answer and copied out of it. Measured
 * with Node 24: 220 to 820 for a record, 100 to 440 for a header.
 */
const recordBaseBytes = 800;
const headerBaseBytes = 400;

/** Returns the memory that a record costs. A bound in bytes that counts this bounds the number of records, too. */
export function costOf(contentBytes: number, headers: number): number {
  return recordBaseBytes + contentBytes + headers * headerBaseBytes;
}

export function recordCost({ key, value, headers }: Pick<SourceRecord, 'key' | 'value' | 'headers'>): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, content] of headers) bytes += name.length + (content?.length ?? 0);
  return costOf(bytes, headers.length);
}

/** Returns the limit that a record exceeds, if any. `maxValueBytes` is `RECORD_MAX_BYTES`. */
export function recordExcess({ value, headersOmitted }: SourceRecord, maxValueBytes: number): string | undefined {
  if (headersOmitted === true)
    return `the record has more than ${headerLimits.count} headers, or ${formatSize(headerLimits.bytes)} of them`;
  if (value === null || value.length <= maxValueBytes) return undefined;
  return `the value has more than ${formatSize(maxValueBytes)} (RECORD_MAX_BYTES)`;
}

/** The W3C Trace Context of a certificate record, passed on unchanged. https://www.w3.org/TR/trace-context/ */
export interface Trace {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

const noTrace: Trace = { traceparent: undefined, tracestate: undefined };

/**
 * The characters that any vendor passes on, and the members that a list may have. Here they also bound what each write of a
 * delivery carries. https://www.w3.org/TR/trace-context/#tracestate-limits
 */
const maxCharacters = 512;
const maxMembers = 32;

/**
 * Reads the trace of a record. Without a valid `traceparent` there is none, and `tracestate` is dropped. A `tracestate` beyond
 * the limits is dropped alone, because a part of it could be wrong.
 */
export function readTrace(headers: RecordHeaders): Trace {
  const traceparent = headerText(headers, 'traceparent');
  if (traceparent === undefined || traceIds(traceparent) === undefined) return noTrace;
  const tracestate = headerText(headers, 'tracestate');
  const isWithin =
    tracestate !== undefined && tracestate.length <= maxCharacters && tracestate.split(',').length <= maxMembers;
  return { traceparent, tracestate: isWithin ? tracestate : undefined };
}

/**
 * Returns the ids of a `traceparent`: of the trace, and of the span that produced the record. Undefined for an invalid one.
 * Versions later than 00 may append fields, up to 512 characters in all. Version ff and ids of only zeros are invalid.
 */
export function traceIds(traceparent: string) {
  if (traceparent.length > maxCharacters || !traceparentForm.test(traceparent)) return undefined;
  return { traceId: traceparent.slice(3, 35), parentId: traceparent.slice(36, 52) };
}

/** Returns the id of a trace that tracing systems keep. Undefined if there is none, or it was not sampled. */
export function sampledTraceId({ traceparent }: Trace): string | undefined {
  if (traceparent === undefined || Number.parseInt(traceparent.slice(53, 55), 16) % 2 === 0) return undefined;
  return traceIds(traceparent)?.traceId;
}

const traceparentForm =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x20-\x7e]*)?$/v;
