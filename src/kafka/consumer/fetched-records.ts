import type { FetchedBatch } from '../client/consumer.ts';
import { maxStartsPerTurn } from '../../flow/limits.ts';
import { recordCost, type SourceRecord } from '../../certificates/record.ts';
import { Queue } from '../../lib/queue.ts';
import { toSourceRecord } from '../records/source-record.ts';

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
