import type { RecordHeaders, SourceRecord } from '../../certificates/record.ts';
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
    headers: copyHeaders(message.headers ?? noHeaders, mapBytes),
    ...(message.headersOmitted === true ? { headersOmitted: true } : undefined),
  };
}

const noHeaders: RecordHeaders = [];

function copyHeaders(headers: RecordHeaders, mapBytes: BytesMapping): RecordHeaders {
  return headers.length === 0 ? noHeaders : headers.map(([name, value]) => [name, value && mapBytes(value)]);
}
