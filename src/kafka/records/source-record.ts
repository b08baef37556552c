import type { RecordHeaders, SourceRecord } from '../../certificates/record.ts';
import { visitHeaders, type Headers } from '../client/message-headers.ts';
import type { FullRecord } from '../client/topic-log.ts';

/** Copies a record out of its fetch response. A slice would keep the whole response in memory. */
export function toSourceRecord(topic: string, partition: number, message: FullRecord): SourceRecord {
  return recordOf(topic, partition, message, (bytes) => Buffer.from(bytes));
}

/** Converts a record without copying its bytes, for callers that drop the record before the next response. */
export function asSourceRecord(topic: string, partition: number, message: FullRecord): SourceRecord {
  return recordOf(topic, partition, message, (bytes) => bytes);
}

type BytesMapping = (bytes: Buffer) => Buffer;

function recordOf(topic: string, partition: number, message: FullRecord, mapBytes: BytesMapping): SourceRecord {
  const timestamp = Number(message.timestamp);
  return {
    topic,
    partition,
    offset: Number(message.offset),
    // Later ones are no dates. A producer that counts nanoseconds writes them.
    timestamp: timestamp >= 0 && timestamp <= 8.64e15 ? timestamp : undefined,
    key: message.key && mapBytes(message.key),
    value: message.value && mapBytes(message.value),
    headers: headerPairs(message.headers, mapBytes),
    ...(message.headersOmitted === true ? { headersOmitted: true } : undefined),
  };
}

const noHeaders: RecordHeaders = [];

function headerPairs(headers: Headers | undefined, mapBytes: BytesMapping): RecordHeaders {
  if (headers === undefined || isEmpty(headers)) return noHeaders;
  const pairs: (readonly [string, Buffer | null])[] = [];
  visitHeaders(headers, (name, value) => pairs.push([name, bytesOf(value, mapBytes)]));
  return pairs;
}

function isEmpty(headers: Headers): boolean {
  for (const _ in headers) return false;
  return true;
}

function bytesOf(value: Buffer | string | null, mapBytes: BytesMapping): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value && mapBytes(value);
}
