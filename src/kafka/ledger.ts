import assert from 'node:assert/strict';
import { Queue } from '../lib/queue.ts';

/** A record that was read and whose deliveries are not all settled yet, or that waits for one before it that is not. */
export interface LedgerEntry {
  readonly offset: number;
  /** Epoch milliseconds, as on the record. */
  readonly timestamp: number | undefined;
  /** Where reading goes on after it: the next offset, or further where the log has a gap. The ledger's own. */
  end: number;
  /** The ledger's own. */
  settled: boolean;
}

/**
 * Which offsets of one partition are settled, for the time of one assignment. Its position is what may be committed:
 * Kafka commits the next offset to read, so everything below the position is settled and the position never goes back.
 */
export class OffsetLedger {
  readonly #entries = new Queue<LedgerEntry>();
  #next: number;
  #position: number;
  #committed: number;
  #unsettled = 0;

  /** `start` is where the group's commit stands, or where reading begins without one. */
  constructor(start: number) {
    this.#next = start;
    this.#position = start;
    this.#committed = start;
  }

  /** The lowest offset that may still be admitted. */
  get next(): number {
    return this.#next;
  }

  /** What to commit. */
  get position(): number {
    return this.#position;
  }

  /** What is committed. */
  get committed(): number {
    return this.#committed;
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  /** Offsets from the commit to the newest record: what a crash would read again at most. */
  get span(): number {
    return this.#next - this.#committed;
  }

  /** The first record that holds the position back. */
  get oldest(): LedgerEntry | undefined {
    return this.#entries.peek();
  }

  /** A record was read. Offsets only go up; what lies between was compacted away or is no record of ours. */
  admit(offset: number, timestamp?: number): LedgerEntry {
    assert(offset >= this.#next, `offset ${offset} is admitted after ${this.#next - 1}`);
    this.skipTo(offset);
    const entry: LedgerEntry = { offset, timestamp, end: offset + 1, settled: false };
    this.#entries.push(entry);
    this.#unsettled += 1;
    this.#next = entry.end;
    return entry;
  }

  /** There are no records from `next` up to this offset: nothing waits for them. */
  skipTo(offset: number): void {
    if (offset <= this.#next) return;
    const last = this.#entries.last();
    if (last === undefined) this.#position = offset;
    else last.end = offset;
    this.#next = offset;
  }

  /** All deliveries of the record are settled. */
  settle(entry: LedgerEntry): void {
    assert(!entry.settled, `offset ${entry.offset} is settled twice`);
    entry.settled = true;
    this.#unsettled -= 1;
    for (let first = this.#entries.peek(); first?.settled === true; first = this.#entries.peek()) {
      this.#position = first.end;
      this.#entries.shift();
    }
  }

  /** The broker has acknowledged the commit of this position. */
  confirm(position: number): void {
    assert(position <= this.#position, `commit of ${position} passes what is settled, ${this.#position}`);
    this.#committed = Math.max(this.#committed, position);
  }
}
