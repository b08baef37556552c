import type { RecordHeaders } from '../../../src/certificates/record.ts';
import { BrokerError } from './errors.ts';

export interface NewRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;
  /** Epoch milliseconds, or -1 for none. The time of the broker if left out. */
  readonly timestamp?: number;
}

export interface LoggedRecord extends NewRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
}

/** The log of one partition. Records are in order, and some offsets have no record. */
export class PartitionLog {
  readonly topic: string;
  readonly partition: number;
  #records: LoggedRecord[] = [];
  #start = 0;
  #end = 0;
  /** The offset of the first record of the open transaction. */
  #openAt: number | undefined;
  /** True while its broker answers without records, as one does whose remote storage is slow. */
  isWithheld = false;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  get start(): number {
    return this.#start;
  }

  /** The offset of the next record. */
  get end(): number {
    return this.#end;
  }

  /** The end for readers of committed records. */
  get stableEnd(): number {
    return this.#openAt ?? this.#end;
  }

  get records(): readonly LoggedRecord[] {
    return this.#records;
  }

  /** The offset of the first record at or after this time, or the end. */
  offsetAt(epochMs: number): number {
    return this.#records.find(({ timestamp }) => timestamp >= epochMs)?.offset ?? this.stableEnd;
  }

  append(record: NewRecord, now: number): LoggedRecord {
    const { topic, partition } = this;
    const logged = { ...record, topic, partition, offset: this.#end, timestamp: record.timestamp ?? now };
    this.#records.push(logged);
    this.#end += 1;
    return logged;
  }

  /** Adds an offset without a record, as the end of a transaction does. */
  appendControl(): void {
    this.#end += 1;
  }

  /** Begins a transaction with one record, which nobody ever reads, unless one is open. */
  openTransaction(): void {
    if (this.#openAt !== undefined) return;
    this.#openAt = this.#end;
    this.#end += 1;
  }

  /** Aborts the open transaction. */
  abortTransaction(): void {
    if (this.#openAt === undefined) return;
    this.#openAt = undefined;
    this.#end += 1;
  }

  deleteBefore(offset: number): void {
    this.#start = Math.max(this.#start, offset);
    this.#records = this.#records.filter((record) => record.offset >= this.#start);
  }

  /** Reads at most `limit` records from an offset. `next` is the offset to continue at. Throws outside the log. */
  read(from: number, limit: number): { readonly records: readonly LoggedRecord[]; readonly next: number } {
    if (from < this.#start || from > this.#end) throw new BrokerError('OFFSET_OUT_OF_RANGE');
    if (this.isWithheld || from >= this.stableEnd) return { records: [], next: from };
    const first = this.#indexOf(from);
    const records = this.#records.slice(first, Math.min(first + limit, this.#indexOf(this.stableEnd)));
    const last = records.at(-1);
    return { records, next: last !== undefined && records.length === limit ? last.offset + 1 : this.stableEnd };
  }

  /** The index of the first record at or after the offset. */
  #indexOf(offset: number): number {
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#records[middle]?.offset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
