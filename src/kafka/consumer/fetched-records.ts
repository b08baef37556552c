import type { SourceRecord } from '../../certificates/record.ts';
import { Queue } from '../../lib/queue.ts';
import { sizeBytes } from '../records/source-record.ts';

/**
 * What a fetch has brought and is not taken in yet. Fetched again, as kafkajs does it, a backlog was decoded up to three
 * times.
 */
export class FetchedRecords {
  /** Where reading goes on behind them. */
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

  /** The first one is taken in. */
  shift(): void {
    const record = this.#records.shift();
    if (record !== undefined) this.#bytes -= sizeBytes(record);
  }
}
