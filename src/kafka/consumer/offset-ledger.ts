import assert from 'node:assert/strict';
import { Queue } from '../../lib/queue.ts';
import type { SettledRange } from './commits/commit-metadata.ts';
import { costOf, recordCost, type SourceRecord } from '../../certificates/record.ts';
import { RecordRun, type PartitionFlow } from '../../flow/partition.ts';
import type { WaitGroup } from '../../lib/wait-group.ts';
import type { AssignmentContext, Handled, RecordContext, RecordResult } from '../../pipeline/ports.ts';

/** An admitted record above the position: it is unsettled, or a record before it is. */
export interface LedgerEntry {
  readonly offset: number;
  /** Epoch milliseconds, as on the record. */
  readonly timestamp: number | undefined;
  /** The next offset to read: one more, or beyond a gap in the log. Written by the ledger only. */
  end: number;
  /** Written by the ledger only. */
  settled: boolean;
}

interface LedgerState {
  readonly position: number;
  /** Number of records settled so far. It changes although the position may not. */
  readonly changes: number;
}

/**
 * The settled offsets of one partition during one assignment. Decides what may be committed.
 *
 * ```
 *  committed         position                    next
 *  ────┼────────────────┼──────────────────────────┼──────▶ offset
 *      │ settled,       │ the first is unsettled,  │ not read yet
 *      │ not committed  │ later ones may be either │
 * ```
 *
 * Always `committed ≤ position ≤ next`, and none of them goes back. Kafka commits the next offset to read, so the
 * position is committed, and everything below it is settled.
 *
 * | Call           | Meaning                                                   | Moves                             |
 * | -------------- | --------------------------------------------------------- | --------------------------------- |
 * | `admit`        | a record was read and its deliveries begin                | `next`                            |
 * | `admitSettled` | a record was read that an earlier assignment settled      | `next`, and `position` if it can  |
 * | `skipTo`       | no record of ours lies below this offset                  | `next`, and `position` if it can  |
 * | `settle`       | all deliveries of the record are settled                  | `position`, if it was the oldest  |
 * | `confirm`      | the broker acknowledged the commit of an earlier `state`  | `committed`                       |
 *
 * `Admission` makes the first four calls, and `Assignment` the last one. Both also read the counts for limits and metrics.
 *
 * Promises:
 * - The position never passes an unsettled record. An entry therefore stays queued until all before it are settled.
 * - What is settled above the position is not lost: `settledAbove` returns it for the metadata of the commit.
 * - Ranges from an earlier assignment are kept until they are read again. Without `#settledBefore` in `settledAbove`, a
 *   commit before that would erase them, and their records would be delivered twice.
 * - A wrong call throws an `AssertionError`: offsets out of order, a record settled twice, a commit beyond the position.
 */
export class OffsetLedger {
  readonly #entries = new Queue<LedgerEntry>();
  /** Ranges settled in an earlier assignment and not read again yet, in order. */
  readonly #settledBefore: Queue<SettledRange>;
  #next: number;
  #position: number;
  #committed: LedgerState;
  #changes = 0;
  #unsettled = 0;

  /**
   * `start` is the first offset that is read, usually the group's commit. The ranges lie at it or above. Without a commit, the
   * start itself is to be committed.
   */
  constructor(start: number, settledBefore: readonly SettledRange[] = [], isCommitted = true) {
    this.#next = start;
    this.#position = start;
    this.#committed = { position: start, changes: isCommitted ? 0 : -1 };
    this.#settledBefore = new Queue(settledBefore);
  }

  /** The lowest offset that may still be admitted. */
  get next(): number {
    return this.#next;
  }

  get position(): number {
    return this.#position;
  }

  get state(): LedgerState {
    return { position: this.#position, changes: this.#changes };
  }

  /** True if a commit would differ from the last confirmed one, in its offset or in its metadata. */
  get hasUncommitted(): boolean {
    return this.#position > this.#committed.position || this.#changes > this.#committed.changes;
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  /** Offsets from the commit to the newest record. At most this many records are read again after a crash. */
  get span(): number {
    return this.#next - this.#committed.position;
  }

  /** The unsettled record that holds the position back. */
  get oldest(): LedgerEntry | undefined {
    return this.#entries.peek();
  }

  settledAbove(): readonly SettledRange[] {
    const ranges: { readonly start: number; end: number }[] = [];
    const add = (start: number, end: number): void => {
      const last = ranges.at(-1);
      if (last?.end === start) last.end = end;
      else ranges.push({ start, end });
    };
    for (const { offset, end, settled } of this.#entries) if (settled) add(offset, end);
    for (const { start, end } of this.#settledBefore) if (end > this.#next) add(Math.max(start, this.#next), end);
    return ranges;
  }

  /** Returns true if the record was settled in an earlier assignment. Calls must have ascending offsets. */
  wasSettled(offset: number): boolean {
    while ((this.#settledBefore.peek()?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#settledBefore.shift();
    return (this.#settledBefore.peek()?.start ?? Number.POSITIVE_INFINITY) <= offset;
  }

  /** Adds a record. Offsets ascend; the ones in between were compacted away, or hold no record of ours. */
  admit(offset: number, timestamp?: number): LedgerEntry {
    assert(offset >= this.#next, `offset ${offset} is admitted after ${this.#next - 1}`);
    this.skipTo(offset);
    const entry: LedgerEntry = { offset, timestamp, end: offset + 1, settled: false };
    this.#entries.push(entry);
    this.#unsettled += 1;
    this.#next = entry.end;
    return entry;
  }

  admitSettled(offset: number): void {
    this.skipTo(offset);
    const last = this.#entries.last();
    if (last === undefined) this.#position = offset + 1;
    else if (last.settled) last.end = offset + 1;
    else this.#entries.push({ offset, timestamp: undefined, end: offset + 1, settled: true });
    this.#next = offset + 1;
  }

  skipTo(offset: number): void {
    if (offset <= this.#next) return;
    const last = this.#entries.last();
    if (last === undefined) this.#position = offset;
    else last.end = offset;
    this.#next = offset;
  }

  /** Marks a record as settled, and moves the position behind all settled records at the front. */
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

  confirm(state: LedgerState): void {
    assert(state.position <= this.#position, `commit of ${state.position} passes what is settled, ${this.#position}`);
    if (state.position >= this.#committed.position) this.#committed = state;
  }
}

/** The parts that all records of an admission share. */
export interface SettlingContext {
  readonly inFlight: WaitGroup;
  readonly recordSettled: (record: SourceRecord, result: RecordResult) => void;
  /** Called if a record can be neither settled nor dead-lettered. Its partition's commit would never move again. */
  readonly onBroken: (error: Error) => void;
}

interface InFlightRecordOptions {
  readonly flow: PartitionFlow;
  readonly assignment: AssignmentContext;
  readonly inLogSince: number;
  /** The ledger that admitted the record, and its entry there. */
  readonly ledger: OffsetLedger;
  readonly entry: LedgerEntry;
}

/** An admitted record. Counts in flow control and in its ledger until it ends. */
export class InFlightRecord extends RecordRun implements RecordContext {
  readonly #context: SettlingContext;
  readonly #record: SourceRecord;
  readonly #options: InFlightRecordOptions;

  constructor(context: SettlingContext, record: SourceRecord, options: InFlightRecordOptions) {
    // Flow control bounds the number of records itself.
    super(options.flow, recordCost(record) - costOf(0, 0));
    this.#context = context;
    this.#record = record;
    this.#options = options;
    context.inFlight.add();
  }

  get inLogSince(): number {
    return this.#options.inLogSince;
  }

  get revoked(): boolean {
    return this.#options.assignment.revoked;
  }

  get isCutOff(): boolean {
    return this.#options.assignment.isCutOff;
  }

  stillOwned(): boolean | Promise<boolean> {
    return this.#options.assignment.stillOwned();
  }

  end(handled: Handled): void {
    try {
      if (handled !== 'abandoned') this.#settle(handled);
    } catch (error) {
      this.#reportBroken(error);
    } finally {
      this.#release();
    }
  }

  fail(error: unknown): void {
    this.#reportBroken(error);
    this.#release();
  }

  #settle(result: RecordResult): void {
    const { ledger, entry } = this.#options;
    ledger.settle(entry);
    this.#context.recordSettled(this.#record, result);
  }

  #reportBroken(error: unknown): void {
    // The next owner of a revoked partition reads the record again.
    if (!this.revoked) this.#context.onBroken(new UnsettledError({ cause: error }));
  }

  #release(): void {
    this.release();
    this.#context.inFlight.remove();
  }
}

class UnsettledError extends Error {
  override readonly name = 'UnsettledError';

  constructor(options: ErrorOptions) {
    super('a record can be neither settled nor dead-lettered', options);
  }
}
