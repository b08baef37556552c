import type { FetchedBatch, TopicPartition } from '../client/consumer.ts';
import type { SourceRecord } from '../../certificates/record.ts';
import type { MonotonicClock } from '../../lib/clock.ts';
import { WaitGroup } from '../../lib/wait-group.ts';
import type { RecordContext, RecordResult } from '../../pipeline/ports.ts';
import { Assignment, type AssignedPartition } from './assignment.ts';
import type { FlowControl } from '../../flow/flow-control.ts';
import { maxStartsPerTurn } from '../../flow/limits.ts';
import type { PartitionFlow } from '../../flow/partition.ts';
import type { PauseReason } from '../../flow/pause-reason.ts';
import { copyRecords, type FetchedRecords } from '../records/fetched-records.ts';
import { InFlightRecord, type SettlingContext } from './offset-ledger.ts';

/** The consumer's view of the code that handles records. */
export interface Intake {
  /**
   * Undefined if the record can be handled now. Otherwise a promise that resolves when asking again is worthwhile. What the
   * buffered records need is asked for at the same time, so that they do not wait one after the other.
   */
  whenReadable(record: SourceRecord, buffered: Iterable<SourceRecord>): Promise<void> | undefined;
  /** Handles the record, and ends its context, perhaps before it returns. */
  handle(record: SourceRecord, context: RecordContext): void;
  /** Starts nothing more. Waiting deliveries are handed over to a tier, and records that are not due are abandoned. */
  drain(): void;
  abort(): void;
  open(): void;
  recordConsumed(record: SourceRecord): void;
  recordSettled(record: SourceRecord, result: RecordResult): void;
  /** Counts records that are not handled again, because an earlier assignment settled them. */
  recordsSkipped(topic: string, records: number): void;
}

interface AdmissionOptions extends Pick<SettlingContext, 'onBroken'> {
  readonly intake: Intake;
  readonly flow: FlowControl;
  readonly clock: MonotonicClock;
  /** Returns false during a rebalance and a stop: then nothing is admitted. */
  readonly isReading: () => boolean;
  readonly pause: (partition: AssignedPartition) => void;
  readonly resume: (partition: AssignedPartition) => void;
}

/**
 * The cost of fetched records that may wait for admission, over all partitions. Others are fetched again. Without this
 * buffer, records of a backlog were decoded 1.7 times with 12 partitions, and 3.4 times with 100.
 */
const maxBufferedBytes = 8 * 1024 * 1024;

/**
 * Passes fetched records to the intake without waiting for them, as far as flow control allows, and settles them in the
 * ledgers. Owns the current assignment, the paused partitions with their buffered records, and the records in flight.
 *
 * ```
 *        paused by flow control, a record not readable, or records buffered
 *   reading ────────────────────────────────────────────────────────────▶ paused
 *      ▲                                                                    │
 *      └────────────────────────────────────────────────────────────────────┘
 *        readable, buffer empty, and not paused by flow control any more
 * ```
 *
 * `GroupConsumer` calls `begin` after each join, `admitBatch` for each fetched batch, and `resumePaused` after each commit. `pauseUntil` and `restart` follow a batch that can't be decoded, a reset offset or a recreated topic.
 *
 * Promises:
 * - No call waits for a delivery. One slow endpoint would otherwise stop all partitions that its broker leads.
 * - Records of a partition are admitted in the order of their offsets. A batch is therefore refused while records of an
 *   earlier one are buffered. Those would otherwise be skipped as already handled, and lost.
 * - Flow control counts a record from its admission until it is settled or abandoned. Buffered records do not count:
 *   they are not handled, and the next owner of the partition reads them again.
 * - Each record settles the ledger that admitted it. A late result changes nothing in a later assignment.
 * - A paused partition resumes on its own: flow control tells once something was released.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #settling: SettlingContext;
  readonly #paused = new Set<AssignedPartition>();
  /** The paused partitions whose next record is not readable yet, and the reason. */
  readonly #unreadable = new Map<AssignedPartition, PauseReason>();
  #assignment = new Assignment({});

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { intake, onBroken } = options;
    const recordSettled = (record: SourceRecord, result: RecordResult): void => intake.recordSettled(record, result);
    this.#settling = { inFlight: new WaitGroup(), recordSettled, onBroken };
  }

  get assignment(): Assignment {
    return this.#assignment;
  }

  /** Admitted records that are not settled yet, including those of earlier assignments. */
  get inFlight(): WaitGroup {
    return this.#settling.inFlight;
  }

  begin(assignment: Assignment): void {
    this.#assignment.revoke();
    this.#assignment = assignment;
    this.#paused.clear();
    this.#options.flow.begin(assignment.size);
    this.#options.intake.open();
  }

  /** Returns the last offset of the batch that need not be fetched again. */
  admitBatch(batch: FetchedBatch): string | undefined {
    const { topic, partition, messages } = batch;
    // Without records, only control records or what compaction left over are passed.
    const first = messages[0]?.offset ?? batch.lastOffset();
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, Number(first));
    if (assigned === undefined || assigned.buffered !== undefined) return undefined;
    assigned.readAt = this.#options.clock.monotonic();
    assigned.growth.note(batch.highWatermark, assigned.readAt);
    const roomBytes = Math.max(0, maxBufferedBytes - this.#bufferedBytes);
    const fetched = copyRecords(batch, roomBytes);
    const copied = fetched.length;
    this.#admitFrom(fetched, assigned);
    const reason = this.#pauseReasonOf(assigned, fetched);
    if (reason !== undefined) this.#pause(assigned, reason);
    if (fetched.bytes > roomBytes) return messages[copied - fetched.length - 1]?.offset;
    if (fetched.length > 0) assigned.buffered = fetched;
    return String(fetched.end - 1);
  }

  /** Pauses one partition in front of this offset until the promise resolves. */
  pauseUntil({ topic, partition, offset }: TopicPartition & { readonly offset: number }, until: Promise<void>): void {
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, offset);
    if (assigned !== undefined) void this.#waitFor(until, assigned, 'undecodable');
  }

  /**
   * Adjusts to a fetch from `to` instead of `from`. Returns how many records between them were never settled, or undefined if
   * the log is a new one, which a lower offset means.
   */
  restart(topic: string, partition: number, { from, to }: { readonly from: number; readonly to: number }) {
    const { ledger } = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, from) ?? {};
    if (ledger === undefined || to < ledger.next) this.#assignment.reopen(topic, partition, to);
    else if (to > from)
      return ledger
        .settledAbove()
        .reduce((lost, { start, end }) => lost - Math.max(0, Math.min(end, to) - Math.max(start, from)), to - from);
    return undefined;
  }

  /** Resumes the partitions that are not paused any more. A commit may resume one as well, because it shortens the span. */
  resumePaused(): void {
    for (const assigned of this.#paused) this.#resumeIfAllowed(assigned);
  }

  #resumeIfAllowed(assigned: AssignedPartition): void {
    const { resume, isReading } = this.#options;
    if (this.#assignment.revoked || !isReading()) return;
    const { buffered } = assigned;
    if (buffered !== undefined && !this.#unreadable.has(assigned)) this.#admitFrom(buffered, assigned);
    if (buffered?.length === 0) assigned.buffered = undefined;
    const reason = this.#pauseReasonOf(assigned, assigned.buffered);
    if (reason !== undefined) return this.#pause(assigned, reason);
    assigned.pausedBy = undefined;
    this.#paused.delete(assigned);
    resume(assigned);
  }

  /** Admits records from the front, as many as flow control allows in one turn. */
  #admitFrom(fetched: FetchedRecords, assigned: AssignedPartition): void {
    const { ledger, topic } = assigned;
    const { intake } = this.#options;
    const flow = this.#flowOf(assigned);
    let admitted = 0;
    let skipped = 0;
    for (let record = fetched.first; record !== undefined; record = fetched.first) {
      if (admitted >= maxStartsPerTurn || flow.pausedBy(ledger.span) !== undefined) break;
      if (ledger.wasSettled(record.offset)) {
        ledger.admitSettled(record.offset);
        skipped += 1;
      } else if (record.offset >= ledger.next) {
        const readable = intake.whenReadable(record, fetched);
        if (readable !== undefined) {
          void this.#waitFor(readable, assigned, 'schema');
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
    const { intake } = this.#options;
    const { ledger, growth } = assigned;
    const context = new InFlightRecord(this.#settling, record, {
      assignment: this.#assignment,
      flow: this.#flowOf(assigned),
      inLogSince: growth.inLogSince(record.offset, this.#options.clock.monotonic()),
      ledger,
      entry: ledger.admit(record.offset, record.timestamp),
    });
    intake.recordConsumed(record);
    intake.handle(record, context);
  }

  /** Pauses the partition until its next record is readable. Later records wait with it. */
  async #waitFor(readable: Promise<void>, assigned: AssignedPartition, reason: PauseReason): Promise<void> {
    this.#unreadable.set(assigned, reason);
    this.#pause(assigned, reason);
    await readable;
    this.#unreadable.delete(assigned);
    this.resumePaused();
  }

  /** Returns why the partition is not to be fetched. Buffered records are admitted first, some in each turn. */
  #pauseReasonOf(assigned: AssignedPartition, buffered: FetchedRecords | undefined): PauseReason | undefined {
    const reason = this.#unreadable.get(assigned) ?? this.#flowOf(assigned).pausedBy(assigned.ledger.span);
    if (reason !== undefined || buffered === undefined || buffered.length === 0) return reason;
    this.#options.flow.recheckInNextTurn();
    return 'turn';
  }

  #flowOf(assigned: AssignedPartition): PartitionFlow {
    assigned.flow ??= this.#options.flow.openPartition();
    return assigned.flow;
  }

  #pause(assigned: AssignedPartition, reason: PauseReason): void {
    const wasPaused = assigned.pausedBy !== undefined;
    assigned.pausedBy = reason;
    this.#options.flow.onceReleased(() => this.resumePaused());
    if (wasPaused) return;
    this.#paused.add(assigned);
    this.#options.pause(assigned);
  }
}
