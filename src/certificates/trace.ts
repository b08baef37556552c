import { headerText, type RecordHeaders } from './record.ts';

/** The W3C Trace Context of a certificate record, passed on unchanged. https://www.w3.org/TR/trace-context/ */
export interface Trace {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** The parts of a traceparent that log lines contain: the trace, and the span that produced the record. */
interface TraceIds {
  readonly traceId: string;
  readonly parentId: string;
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
  return { traceparent, tracestate: tracestate !== undefined && isWithinLimits(tracestate) ? tracestate : undefined };
}

function isWithinLimits(tracestate: string): boolean {
  return tracestate.length <= maxCharacters && tracestate.split(',').length <= maxMembers;
}

/**
 * Returns the ids of a `traceparent`, or undefined for an invalid one. Versions later than 00 may append fields, up to 512
 * characters in all. Version ff and ids of only zeros are invalid.
 */
export function traceIds(traceparent: string): TraceIds | undefined {
  if (traceparent.length > maxCharacters || !pattern.test(traceparent)) return undefined;
  return { traceId: traceparent.slice(3, 35), parentId: traceparent.slice(36, 52) };
}

/** Returns the id of a trace that tracing systems keep. Undefined if there is none, or it was not sampled. */
export function sampledTraceId({ traceparent }: Trace): string | undefined {
  if (traceparent === undefined || Number.parseInt(traceparent.slice(53, 55), 16) % 2 === 0) return undefined;
  return traceIds(traceparent)?.traceId;
}

const pattern = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x20-\x7e]*)?$/v;
