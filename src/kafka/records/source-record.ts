import type { IHeaders } from 'kafkajs';
import type { RecordHeaders, SourceRecord } from '../../certificates/record.ts';
import { visitHeaders } from '../kafkajs/batches/message-headers.ts';

export interface LogRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** A record with all that Kafka keeps of it. */
export interface FullRecord extends LogRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly headers?: IHeaders;
}

/** Copies a record out of the fetch response: a slice would keep the whole response in memory. */
export function toSourceRecord(topic: string, partition: number, message: FullRecord): SourceRecord {
  return recordOf(topic, partition, message, (bytes) => Buffer.from(bytes));
}

/** The same without a copy, for who lets go of it before the next response comes. */
export function asSourceRecord(topic: string, partition: number, message: FullRecord): SourceRecord {
  return recordOf(topic, partition, message, (bytes) => bytes);
}

/** What a record weighs in memory, roughly. */
export function sizeBytes({ key, value, headers }: SourceRecord): number {
  const headerBytes = headers.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  return (key?.length ?? 0) + (value?.length ?? 0) + headerBytes;
}

type BytesMapping = (bytes: Buffer) => Buffer;

function recordOf(topic: string, partition: number, message: FullRecord, take: BytesMapping): SourceRecord {
  const timestamp = Number(message.timestamp);
  return {
    topic,
    partition,
    offset: Number(message.offset),
    timestamp: timestamp >= 0 ? timestamp : undefined,
    key: message.key && take(message.key),
    value: message.value && take(message.value),
    headers: headerPairs(message.headers, take),
  };
}

function headerPairs(headers: IHeaders | undefined, take: BytesMapping): RecordHeaders {
  const pairs: (readonly [string, Buffer])[] = [];
  visitHeaders(headers ?? {}, (name, value) => pairs.push([name, bytesOf(value, take)]));
  return pairs;
}

function bytesOf(value: Buffer | string, take: BytesMapping): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : take(value);
}
