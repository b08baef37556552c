import type { Batch } from 'kafkajs';
import type { SourceRecord } from '../../certificates/record.ts';
import type { Clock } from '../../lib/clock.ts';
import { WaitGroup } from '../../lib/wait-group.ts';
import type { AssignmentContext, Handled, RecordContext, RecordResult } from '../../pipeline/ports.ts';
import { Assignment, type AssignedPartition } from './assignment.ts';
import type { IntakeLimits, PartitionUsage } from '../../backpressure/intake-limits.ts';
import { InFlightRecord } from './in-flight-record.ts';
import { FetchedRecords } from './fetched-records.ts';
import { sizeBytes, toSourceRecord } from '../records/source-record.ts';

/** The consumer's view of the code that handles records. */
export interface Intake {
  /** Undefined if the record can be handled now. Otherwise a promise that resolves when asking again is worthwhile. */
  whenReadable(record: SourceRecord): Promise<void> | undefined;
  /** Resolves once the record is settled, or to `abandoned` if its assignment ended before that. */
  handle(record: SourceRecord, context: RecordContext): Promise<Handled>;
  /** Starts nothing more. Waiting deliveries are handed over to a tier, and records that are not due are abandoned. */
  drain(): void;
  /** Aborts the requests in flight. */
  abort(): void;
  /** Ends the draining, because a new assignment begins. */
  open(): void;
  recordConsumed(record: SourceRecord): void;
  recordSettled(record: SourceRecord, result: RecordResult): void;
  /** Counts records that are not handled again, because an earlier assignment settled them. */
  recordsSkipped(topic: string, records: number): void;
}

interface AdmissionOptions {
  readonly intake: Intake;
  readonly limits: IntakeLimits;
  readonly clock: Clock;
  /** Returns false during a rebalance and a stop: then nothing is admitted. */
  readonly isReading: () => boolean;
  readonly pause: (partition: AssignedPartition) => void;
  readonly resume: (partition: AssignedPartition) => void;
  /** Called if a record can be neither settled nor dead-lettered. Its partition's commit would never move again. */
  readonly onBroken: (error: Error) => void;
}

/**
 * Time in ms until the limits are checked again for paused partitions. The load of a record shows only after its
 * admission. With whole batches at once, 14,200 of 88,000 deliveries overflowed; with 32 records every 5 ms, 7,700.
 */
const recheckMs = 5;
/**
 * Bytes of fetched records that may wait for admission, over all partitions. Others are fetched again. Without this
 * buffer, records of a backlog were decoded 1.7 times with 12 partitions, and 3.4 times with 100.
 */
const maxBufferedBytes = 8 * 1024 * 1024;

/**
 * Passes fetched records to the intake without waiting for them, up to the limits, and settles them in the ledgers. Owns
 * the current assignment, the paused partitions with their buffered records, and the records in flight.
 *
 * ```
 *              limits full, a record not readable, or records buffered
 *   reading ────────────────────────────────────────────────────────────▶ paused
 *      ▲                                                                    │
 *      └────────────────────────────────────────────────────────────────────┘
 *              readable, buffer empty, and limits eased
 * ```
 *
 * `GroupConsumer` calls `begin` after each join, `admitBatch` and `skipTo` for each fetch, and `resumeEased` after each
 * commit. `pauseUntil` and `restart` follow a batch that can't be decoded, a reset offset or a recreated topic.
 *
 * Promises:
 * - No call waits for a delivery. One slow endpoint would otherwise stop all partitions that its broker leads.
 * - Records of a partition are admitted in the order of their offsets. A batch is therefore refused while records of an
 *   earlier one are buffered. Those would otherwise be skipped as already handled, and lost.
 * - A record counts against the limits from its admission until it is settled or abandoned. Buffered records do not
 *   count: they are not handled, and the next owner of the partition reads them again.
 * - Each record settles the ledger that admitted it. A late result changes nothing in a later assignment.
 * - A paused partition resumes on its own. Limits can ease without a release, so a timer checks them while the process is
 *   behind.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #inFlight = new WaitGroup();
  readonly #paused = new Set<AssignedPartition>();
  /** The paused partitions whose next record is not readable yet. */
  readonly #waiting = new Set<AssignedPartition>();
  #assignment = new Assignment({});
  #recheckScheduled = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get assignment(): Assignment {
    return this.#assignment;
  }

  /** Admitted records that are not settled yet, including those of earlier assignments. */
  get inFlight(): WaitGroup {
    return this.#inFlight;
  }

  begin(assignment: Assignment): void {
    this.#assignment.revoke();
    this.#assignment = assignment;
    this.#paused.clear();
    this.#options.limits.divideAmong(assignment.size);
    this.#options.intake.open();
  }

  /** Returns the last offset of the batch that need not be fetched again. */
  admitBatch(batch: Batch): string | undefined {
    const { topic, partition, messages } = batch;
    const [first] = messages;
    if (first === undefined) return undefined;
    const assigned =
      this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, Number(first.offset));
    if (assigned === undefined || assigned.buffered !== undefined) return undefined;
    assigned.readAt = this.#options.clock.now();
    const records = messages.map((message) => toSourceRecord(topic, partition, message));
    const fetched = new FetchedRecords(records, Number(batch.lastOffset()) + 1);
    this.#admitFrom(fetched, assigned);
    // Buffered records are admitted only while their partition is paused, so it is paused even if the limits have eased.
    if (fetched.length > 0 || this.#options.limits.isFull(this.#usageOf(assigned))) this.#pause(assigned);
    if (fetched.length === 0) return batch.lastOffset();
    if (this.#bufferedBytes + fetched.bytes > maxBufferedBytes)
      return messages[messages.length - fetched.length - 1]?.offset;
    assigned.buffered = fetched;
    return batch.lastOffset();
  }

  /** Passes the offsets below this one, which hold control records or were compacted away. */
  skipTo(topic: string, partition: number, offset: number): void {
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, offset - 1);
    if (assigned === undefined || assigned.buffered !== undefined) return;
    assigned.readAt = this.#options.clock.now();
    assigned.ledger.skipTo(offset);
  }

  /** Pauses one partition in front of this offset until the promise resolves. */
  pauseUntil(
    at: { readonly topic: string; readonly partition: number; readonly offset: number },
    until: Promise<void>,
  ): void {
    const { topic, partition, offset } = at;
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, offset);
    if (assigned !== undefined) void this.#waitFor(until, assigned);
  }

  /** Adjusts to a fetch from another offset than the next one. A lower offset means that the log is a new one. */
  restart(topic: string, partition: number, offset: number): void {
    const assigned = this.#assignment.get(topic, partition);
    if (assigned === undefined || offset < assigned.ledger.next) this.#assignment.reopen(topic, partition, offset);
  }

  /** Resumes the partitions whose limits have eased. A commit eases them as well, because it shortens the span. */
  resumeEased(): void {
    for (const assigned of this.#paused) this.#resumeIfEased(assigned);
  }

  #resumeIfEased(assigned: AssignedPartition): void {
    const { limits, resume, isReading } = this.#options;
    if (this.#assignment.revoked || !isReading() || this.#waiting.has(assigned)) return;
    this.#admitBuffered(assigned);
    if (assigned.buffered !== undefined || !limits.hasEased(this.#usageOf(assigned))) return;
    assigned.paused = false;
    this.#paused.delete(assigned);
    resume(assigned);
  }

  #admitBuffered(assigned: AssignedPartition): void {
    const { buffered } = assigned;
    if (buffered === undefined) return;
    this.#admitFrom(buffered, assigned);
    if (buffered.length === 0) assigned.buffered = undefined;
    else if (!this.#options.limits.isFull(this.#usageOf(assigned))) this.#recheckSoon();
  }

  /** Admits records from the front, as many as the limits allow at a time. */
  #admitFrom(fetched: FetchedRecords, assigned: AssignedPartition): void {
    const { ledger, topic } = assigned;
    const { limits, intake } = this.#options;
    let admitted = 0;
    let skipped = 0;
    for (let record = fetched.first; record !== undefined; record = fetched.first) {
      if (admitted >= limits.atATime || limits.isFull(this.#usageOf(assigned))) break;
      if (ledger.wasSettled(record.offset)) {
        ledger.admitSettled(record.offset);
        skipped += 1;
      } else if (record.offset >= ledger.next) {
        const readable = intake.whenReadable(record);
        if (readable !== undefined) {
          void this.#waitFor(readable, assigned);
          break;
        }
        this.#admit(record, assigned);
        admitted += 1;
      }
      fetched.shift();
    }
    if (skipped > 0) intake.recordsSkipped(topic, skipped);
    if (fetched.length === 0) ledger.skipTo(fetched.end);
  }

  get #bufferedBytes(): number {
    let bytes = 0;
    for (const { buffered } of this.#paused) bytes += buffered?.bytes ?? 0;
    return bytes;
  }

  #admit(record: SourceRecord, assigned: AssignedPartition): void {
    const { intake, limits, clock } = this.#options;
    const { ledger } = assigned;
    const assignment = this.#assignment;
    const entry = ledger.admit(record.offset, record.timestamp);
    const bytes = sizeBytes(record);
    assigned.bytes += bytes;
    const reservation = limits.reserve(bytes);
    const inFlight = new InFlightRecord({ assignment, assigned, clock });
    this.#inFlight.add();
    intake.recordConsumed(record);
    const settle = (result: RecordResult): void => {
      ledger.settle(entry);
      intake.recordSettled(record, result);
    };
    const release = (): void => {
      assigned.bytes -= bytes;
      limits.release(reservation);
      inFlight.end();
      if (this.#paused.has(assigned)) this.#resumeIfEased(assigned);
      // The shared limits have eased for other partitions as well. There may be hundreds, so they are checked later.
      if (this.#paused.size > 0) this.#recheckSoon();
    };
    void this.#settleWhenHandled({ handled: intake.handle(record, inFlight), assignment, settle, release });
  }

  async #settleWhenHandled({ handled, assignment, settle, release }: Handling): Promise<void> {
    try {
      const result = await handled;
      if (result !== 'abandoned') settle(result);
    } catch (error) {
      // The next owner of a revoked partition reads the record again.
      if (!assignment.revoked) this.#options.onBroken(new UnsettledError({ cause: error }));
    } finally {
      release();
      this.#inFlight.remove();
    }
  }

  /** Pauses the partition until its next record is readable. Later records wait with it. */
  async #waitFor(readable: Promise<void>, assigned: AssignedPartition): Promise<void> {
    this.#waiting.add(assigned);
    this.#pause(assigned);
    await readable;
    this.#waiting.delete(assigned);
    this.resumeEased();
  }

  #recheckSoon(): void {
    const { limits, clock } = this.#options;
    if (this.#recheckScheduled) return;
    this.#recheckScheduled = true;
    clock.after(recheckMs, () => {
      this.#recheckScheduled = false;
      const wasBehind = limits.isBehind;
      this.resumeEased();
      if (this.#paused.size > 0 && (wasBehind || limits.isBehind)) this.#recheckSoon();
    });
  }

  #usageOf({ ledger, recent, bytes }: AssignedPartition): PartitionUsage {
    return { records: ledger.unsettled, recent: recent.count(this.#options.clock.now()), bytes, span: ledger.span };
  }

  #pause(assigned: AssignedPartition): void {
    if (assigned.paused) return;
    assigned.paused = true;
    this.#paused.add(assigned);
    this.#options.pause(assigned);
    this.#recheckSoon();
  }
}

interface Handling {
  readonly handled: Promise<Handled>;
  readonly assignment: AssignmentContext;
  readonly settle: (result: RecordResult) => void;
  readonly release: () => void;
}

class UnsettledError extends Error {
  override readonly name = 'UnsettledError';

  constructor(options: ErrorOptions) {
    super('a record can be neither settled nor dead-lettered', options);
  }
}
