import type { Batch } from 'kafkajs';
import type { SourceRecord } from '../../certificates/record.ts';
import type { Clock } from '../../lib/clock.ts';
import { WaitGroup } from '../../lib/wait-group.ts';
import type { AssignmentContext, Handled, RecordContext, RecordResult } from '../../pipeline/ports.ts';
import { Assignment, type AssignedPartition } from './assignment.ts';
import type { PartitionUsage, IntakeLimits } from '../../backpressure/intake-limits.ts';
import { InFlightRecord } from './in-flight-record.ts';
import { FetchedRecords } from './fetched-records.ts';
import { sizeBytes, toSourceRecord } from '../records/source-record.ts';

/** What becomes of the records. */
export interface Intake {
  /** Undefined when the record can be handled now; else a promise that resolves when it is worth asking again. */
  whenReadable(record: SourceRecord): Promise<void> | undefined;
  /** Resolves once the record is settled, or abandoned because the assignment is over. */
  handle(record: SourceRecord, context: RecordContext): Promise<Handled>;
  /** The partitions are being given up: nothing starts any more, and what waits is handed over or let go. */
  drain(): void;
  /** Time is up for what is out. */
  abort(): void;
  /** A new assignment begins. */
  open(): void;
  recordConsumed(record: SourceRecord): void;
  recordSettled(record: SourceRecord, result: RecordResult): void;
  /** They were settled in an earlier assignment. */
  recordsSkipped(topic: string, records: number): void;
}

export interface AdmissionOptions {
  readonly intake: Intake;
  readonly limits: IntakeLimits;
  readonly clock: Clock;
  /** Whether anything may be taken in at present. */
  readonly isReading: () => boolean;
  readonly pause: (partition: AssignedPartition) => void;
  readonly resume: (partition: AssignedPartition) => void;
  /** A record can be neither settled nor buried: the partition would stand still for ever. */
  readonly onBroken: (error: Error) => void;
}

const recheckMs = 5;
/** Of the records that were fetched and not taken in yet: what is beyond is fetched again. */
const maxBufferedBytes = 8 * 1024 * 1024;

/** Hands records on without waiting for them, as many as the limits allow, and notes in the ledgers what is settled. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #inFlight = new WaitGroup();
  readonly #paused = new Set<AssignedPartition>();
  /** Of those paused, the ones whose next record can't be read yet. */
  readonly #waiting = new Set<AssignedPartition>();
  #assignment = new Assignment({});
  #recheckScheduled = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get assignment(): Assignment {
    return this.#assignment;
  }

  /** The records under way, those of earlier assignments included. */
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

  /** Returns the offset up to which the batch need not be fetched again, that offset included. */
  admitBatch(batch: Batch): string | undefined {
    const { topic, partition, messages } = batch;
    const [first] = messages;
    if (first === undefined) return undefined;
    const assigned =
      this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, Number(first.offset));
    if (assigned === undefined || assigned.buffered !== undefined) return undefined;
    assigned.readAt = this.#options.clock.now();
    const records = messages.map((message) => toSourceRecord(topic, partition, message));
    const buffered = new FetchedRecords(records, Number(batch.lastOffset()) + 1);
    this.#admitFrom(buffered, assigned);
    // Also when the limit has eased meanwhile: only a partition that is paused goes on with its rest.
    if (buffered.length > 0 || this.#options.limits.isFull(this.#usageOf(assigned))) this.#pause(assigned);
    if (buffered.length === 0) return batch.lastOffset();
    if (this.#bufferedBytes + buffered.bytes > maxBufferedBytes)
      return messages[messages.length - buffered.length - 1]?.offset;
    assigned.buffered = buffered;
    return batch.lastOffset();
  }

  /** There is nothing to read up to this offset: control records, or what compaction took away. */
  skipTo(topic: string, partition: number, offset: number): void {
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, offset - 1);
    if (assigned === undefined || assigned.buffered !== undefined) return;
    assigned.readAt = this.#options.clock.now();
    assigned.ledger.skipTo(offset);
  }

  /** The partition stands still at this offset until then, while the others go on. */
  pauseUntil(
    at: { readonly topic: string; readonly partition: number; readonly offset: number },
    until: Promise<void>,
  ): void {
    const { topic, partition, offset } = at;
    const assigned = this.#assignment.get(topic, partition) ?? this.#assignment.open(topic, partition, offset);
    if (assigned !== undefined) void this.#waitFor(until, assigned);
  }

  /** Reading went on at another offset than the next one. One below it means that the log is a new one. */
  restart(topic: string, partition: number, offset: number): void {
    const assigned = this.#assignment.get(topic, partition);
    if (assigned === undefined || offset < assigned.ledger.next) this.#assignment.reopen(topic, partition, offset);
  }

  /** Goes on with the partitions whose limits have eased. A commit eases them, too: it shortens the span. */
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

  /** Takes from it what may be taken in, and not much at a time: how busy that makes the process shows only later. */
  #admitFrom(buffered: FetchedRecords, assigned: AssignedPartition): void {
    const { ledger, topic } = assigned;
    const { limits, intake } = this.#options;
    let admitted = 0;
    let skipped = 0;
    for (let record = buffered.first; record !== undefined; record = buffered.first) {
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
      buffered.shift();
    }
    if (skipped > 0) intake.recordsSkipped(topic, skipped);
    if (buffered.length === 0) ledger.skipTo(buffered.end);
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
    const taken = limits.reserve(bytes);
    const underWay = new InFlightRecord({ assignment, assigned, clock });
    this.#inFlight.add();
    intake.recordConsumed(record);
    const settle = (result: RecordResult): void => {
      ledger.settle(entry);
      intake.recordSettled(record, result);
    };
    const release = (): void => {
      assigned.bytes -= bytes;
      limits.release(taken);
      underWay.end();
      if (this.#paused.has(assigned)) this.#resumeIfEased(assigned);
      // What all share has eased for others, too. There may be hundreds: they are not asked each time.
      if (this.#paused.size > 0) this.#recheckSoon();
    };
    void this.#settleWhenHandled({ handled: intake.handle(record, underWay), assignment, settle, release });
  }

  async #settleWhenHandled({ handled, assignment, settle, release }: Handling): Promise<void> {
    try {
      const result = await handled;
      if (result !== 'abandoned') settle(result);
    } catch (error) {
      // When the assignment is over, whoever has the partition then reads the record again.
      if (!assignment.revoked) this.#options.onBroken(new UnsettledError({ cause: error }));
    } finally {
      release();
      this.#inFlight.remove();
    }
  }

  /** The partition stands still until then, and what comes after the record waits with it. */
  async #waitFor(readable: Promise<void>, assigned: AssignedPartition): Promise<void> {
    this.#waiting.add(assigned);
    this.#pause(assigned);
    await readable;
    this.#waiting.delete(assigned);
    this.resumeEased();
  }

  /** Also without anything being released: the process catches up, or what is held turns out to wait for an endpoint. */
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

/** A record can be neither settled nor buried. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError';

  constructor(options: ErrorOptions) {
    super('a record can be neither settled nor buried', options);
  }
}
