import { costOf, recordCost, type SourceRecord } from '../../certificates/record.ts';
import type { PartitionFlow } from '../../flow/partition.ts';
import { RecordRun } from '../../flow/record-run.ts';
import type { WaitGroup } from '../../lib/wait-group.ts';
import type { AssignmentContext, Handled, RecordContext, RecordResult } from '../../pipeline/ports.ts';
import type { LedgerEntry, OffsetLedger } from './offset-ledger.ts';

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
