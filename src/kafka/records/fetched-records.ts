import { type RecordHeaders, type SourceRecord, recordCost } from '../../certificates/record.ts';
import type { FullRecord } from '../client/topic-log.ts';
import type { FetchedBatch } from '../client/consumer.ts';
import { maxStartsPerTurn } from '../../flow/limits.ts';
import { Queue } from '../../lib/queue.ts';

/**
 * Fetched records that are not admitted yet. They are kept because kafkajs forgets them when their partition is paused:
 * fetched again, a backlog was decoded up to three times.
 */
export class FetchedRecords {
  /** The offset after the batch, or of its first record that is not among these. Reading continues there. */
  readonly end: number;
  readonly #records: Queue<SourceRecord>;
  #bytes: number;

  constructor(records: readonly SourceRecord[], end: number) {
    this.end = end;
    this.#records = new Queue(records);
    this.#bytes = records.reduce((sum, record) => sum + recordCost(record), 0);
  }

  get length(): number {
    return this.#records.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get first(): SourceRecord | undefined {
    return this.#records.peek();
  }

  [Symbol.iterator](): Iterator<SourceRecord> {
    return this.#records[Symbol.iterator]();
  }

  shift(): void {
    const record = this.#records.shift();
    if (record !== undefined) this.#bytes -= recordCost(record);
  }
}

/** Copies the records of the next turn out of a batch, and more as long as all cost no more than `roomBytes`. */
export function copyRecords(batch: FetchedBatch, roomBytes: number): FetchedRecords {
  const records: SourceRecord[] = [];
  let bytes = 0;
  for (const message of batch.messages) {
    const record = toSourceRecord(batch.topic, batch.partition, message);
    bytes += recordCost(record);
    if (bytes > roomBytes && records.length >= maxStartsPerTurn) return new FetchedRecords(records, record.offset);
    records.push(record);
  }
  return new FetchedRecords(records, Number(batch.lastOffset()) + 1);
}

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
