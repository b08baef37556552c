import type { Certificate, IgnoredReason, Rejection } from '../certificates/certificate.ts';
import type { SourceRecord } from '../certificates/record.ts';
import type { UnclaimedReason } from '../deliveries/plan.ts';
import type { DeadReason, RecordDeadReason } from '../deliveries/settle.ts';
import type { WallClock } from '../lib/clock.ts';
import { unlessAbandoned } from './delivery-reporter.ts';
import type {
  AssignmentContext,
  Handled,
  PipelineEvents,
  RecordContext,
  RecordResult,
  RetryPublisher,
} from './ports.ts';

/** Durable publication of what becomes of records that lead to no delivery, in the results topic. */
export interface RecordResultPublisher {
  /** Resolves like `publish` of a `ResultPublisher`. */
  publishRecord(
    record: SourceRecord,
    facts: RecordFacts,
    assignment: AssignmentContext,
  ): Promise<'written' | 'abandoned'>;
}

/** The public facts of such a record. The type is that of its record in the results topic. */
export interface RecordFacts {
  readonly type: 'record.unclaimed' | 'record.ignored' | 'record.rejected';
  readonly reason: UnclaimedReason | IgnoredReason | DeadReason;
  /** Undefined if it is none, or that is not known. */
  readonly certificate?: Pick<Certificate, 'id' | 'ownerId'>;
}

export interface UndeliveredOptions {
  readonly retryPublisher: RetryPublisher;
  /** Undefined unless `RESULTS_INCLUDE` names records. */
  readonly recordResults?: RecordResultPublisher | undefined;
  readonly events: PipelineEvents;
  readonly clock: WallClock;
}

/** Ends the records that lead to no delivery, each once its result is published, if that is wanted. */
export class UndeliveredRecords {
  readonly #options: UndeliveredOptions;

  constructor(options: UndeliveredOptions) {
    this.#options = options;
  }

  end(
    record: SourceRecord,
    context: RecordContext,
    result: 'unclaimed' | 'ignored',
    facts: Omit<RecordFacts, 'type'>,
  ): void {
    const handled = this.#afterResult(record, context, result, { type: `record.${result}`, ...facts });
    if (!(handled instanceof Promise)) return context.end(handled);
    handled.then(
      (ended) => context.end(ended),
      (error: unknown) => this.failed(record, context, error),
    );
  }

  reject(record: SourceRecord, { reason, message }: Rejection, context: RecordContext): void {
    this.#options.events.recordRejected(record, { reason, message });
    this.#deadLetter(record, context, { reason, message }).then(
      (handled) => context.end(handled),
      (error: unknown) => this.failed(record, context, error),
    );
  }

  /** Dead-letters a record whose handling threw, as `internal_error`. Ends its context. */
  failed(record: SourceRecord, context: RecordContext, error: unknown): void {
    if (context.revoked) return context.end('abandoned');
    this.#options.events.recordFailed(record, error);
    const message = error instanceof Error ? error.name : 'unknown error';
    this.#deadLetter(record, context, { reason: 'internal_error', message }).then(
      (handled) => context.end(handled),
      (failure: unknown) => context.fail(failure),
    );
  }

  async #deadLetter(
    record: SourceRecord,
    context: RecordContext,
    { reason, message }: { readonly reason: RecordDeadReason; readonly message: string },
  ): Promise<Handled> {
    const { retryPublisher, clock } = this.#options;
    const deadLetter = { reason, message, failedAt: clock.now() };
    const writtenAs = await retryPublisher.publishRecordDeadLetter(record, deadLetter);
    return this.#afterResult(record, context, 'dead_lettered', { type: 'record.rejected', reason: writtenAs });
  }

  #afterResult(
    record: SourceRecord,
    context: RecordContext,
    result: RecordResult,
    facts: RecordFacts,
  ): Handled | Promise<Handled> {
    return unlessAbandoned(this.#options.recordResults?.publishRecord(record, facts, context), result);
  }
}
