import assert from 'node:assert/strict';
import { Queue } from '../../lib/queue.ts';
import type { SettledRange } from './settled-offsets.ts';

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

/** How far a ledger is at one moment. */
export interface LedgerState {
  readonly position: number;
  /** Counts what was settled, so that two moments can be told apart. */
  readonly changes: number;
}

/**
 * Which offsets of one partition are settled, for the time of one assignment. Its position is what may be committed:
 * Kafka commits the next offset to read, so everything below the position is settled and the position never goes back.
 */
export class OffsetLedger {
  readonly #entries = new Queue<LedgerEntry>();
  /** Settled in an earlier assignment and not read again yet, in order. */
  readonly #settledBefore: Queue<SettledRange>;
  #next: number;
  #position: number;
  #committed: LedgerState;
  #changes = 0;
  #unsettled = 0;

  /** `start` is where the group's commit stands, or where reading begins without one; the ranges lie above it. */
  constructor(start: number, settledBefore: readonly SettledRange[] = []) {
    this.#next = start;
    this.#position = start;
    this.#committed = { position: start, changes: 0 };
    this.#settledBefore = new Queue(settledBefore);
  }

  /** The lowest offset that may still be admitted. */
  get next(): number {
    return this.#next;
  }

  /** What to commit. */
  get position(): number {
    return this.#position;
  }

  get state(): LedgerState {
    return { position: this.#position, changes: this.#changes };
  }

  /** Whether a commit would say anything that the last one did not. */
  get hasUncommitted(): boolean {
    return this.#position > this.#committed.position || this.#changes > this.#committed.changes;
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  /** Offsets from the commit to the newest record: what a crash would read again at most. */
  get span(): number {
    return this.#next - this.#committed.position;
  }

  /** The first record that holds the position back. */
  get oldest(): LedgerEntry | undefined {
    return this.#entries.peek();
  }

  /** What is settled above the position, in order. */
  settledAbove(): readonly SettledRange[] {
    const ranges: { readonly start: number; end: number }[] = [];
    const add = (start: number, end: number): void => {
      const last = ranges.at(-1);
      if (last?.end === start) last.end = end;
      else ranges.push({ start, end });
    };
    this.#entries.forEach(({ offset, end, settled }) => {
      if (settled) add(offset, end);
    });
    this.#settledBefore.forEach(({ start, end }) => {
      if (end > this.#next) add(Math.max(start, this.#next), end);
    });
    return ranges;
  }

  /** Whether the record was settled in an earlier assignment. Offsets are asked for in order. */
  wasSettled(offset: number): boolean {
    while ((this.#settledBefore.peek()?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#settledBefore.shift();
    return (this.#settledBefore.peek()?.start ?? Number.POSITIVE_INFINITY) <= offset;
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

  /** A record was read that was settled in an earlier assignment: it stays so. */
  admitSettled(offset: number): void {
    this.skipTo(offset);
    const last = this.#entries.last();
    if (last === undefined) this.#position = offset + 1;
    else if (last.settled) last.end = offset + 1;
    else this.#entries.push({ offset, timestamp: undefined, end: offset + 1, settled: true });
    this.#next = offset + 1;
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
    this.#changes += 1;
    this.#unsettled -= 1;
    for (let first = this.#entries.peek(); first?.settled === true; first = this.#entries.peek()) {
      this.#position = first.end;
      this.#entries.shift();
    }
  }

  /** The broker has acknowledged the commit of how far it was then. */
  confirm(state: LedgerState): void {
    assert(state.position <= this.#position, `commit of ${state.position} passes what is settled, ${this.#position}`);
    if (state.position >= this.#committed.position) this.#committed = state;
  }
}
