import { headerText, type RecordHeaders } from './record.ts';

/** W3C Trace Context of a certificate record, passed on as it came. */
export interface Trace {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** What log lines tell of it: the whole trace, and the step in it that our record comes from. */
interface TraceIds {
  readonly traceId: string;
  readonly parentId: string;
}

const noTrace: Trace = { traceparent: undefined, tracestate: undefined };

/** Without a `traceparent` that is right there is no trace, whatever `tracestate` says. */
export function readTrace(headers: RecordHeaders): Trace {
  const traceparent = headerText(headers, 'traceparent');
  if (traceparent === undefined || traceIds(traceparent) === undefined) return noTrace;
  return { traceparent, tracestate: headerText(headers, 'tracestate') };
}

/**
 * Undefined for what is no `traceparent`. A version later than 00 may have more behind what we know, and nothing else may
 * differ; ff is no version, and ids of zeros are none.
 */
export function traceIds(traceparent: string): TraceIds | undefined {
  const { traceId, parentId } = pattern.exec(traceparent)?.groups ?? {};
  return traceId === undefined || parentId === undefined ? undefined : { traceId, parentId };
}

const pattern =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})(?<traceId>[\da-f]{32})-(?!0{16})(?<parentId>[\da-f]{16})-[\da-f]{2}(?:-[\x20-\x7e]*)?$/v;
