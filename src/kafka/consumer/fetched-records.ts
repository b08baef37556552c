import type { SourceRecord } from '../../certificates/record.ts';
import { Queue } from '../../lib/queue.ts';
import { sizeBytes } from '../records/source-record.ts';

/**
 * Fetched records that are not admitted yet. They are kept because kafkajs forgets them when their partition is paused:
 * fetched again, a backlog was decoded up to three times.
 */
export class FetchedRecords {
  /** The offset after the batch, where reading continues. */
  readonly end: number;
  readonly #records: Queue<SourceRecord>;
  #bytes: number;

  constructor(records: readonly SourceRecord[], end: number) {
    this.end = end;
    this.#records = new Queue(records);
    this.#bytes = records.reduce((sum, record) => sum + sizeBytes(record), 0);
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

  /** The records from the first on. */
  [Symbol.iterator](): Iterator<SourceRecord> {
    return this.#records[Symbol.iterator]();
  }

  /** Removes the first record. */
  shift(): void {
    const record = this.#records.shift();
    if (record !== undefined) this.#bytes -= sizeBytes(record);
  }
}
