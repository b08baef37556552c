import type { SourceRecord } from '../../certificates/record.ts';
import { tierWait } from '../../deliveries/schedule.ts';
import { SwapList } from '../../lib/swap-list.ts';
import { wallTimeAt, type Clock } from '../../lib/clock.ts';
import type { RecordContext, Retry } from '../../pipeline/ports.ts';
import { readEnvelope, type OwedResult } from '../records/envelope.ts';
import type { Tier } from '../topics/wanted-topics.ts';

interface RetryHandler {
  handleRetry(retry: Retry, context: RecordContext): Promise<void>;
  handleUnreadable(record: SourceRecord, problem: string, context: RecordContext): void;
}

interface RetryIntakeOptions {
  readonly pipeline: RetryHandler;
  /** Writes the results that are owed. Undefined without a results topic: then nobody asks for them any more. */
  readonly results: ResultWriter | undefined;
  readonly tierOf: (topic: string) => Tier;
  readonly clock: Clock;
}

const handledAs = { written: 'ignored', owed: 'retried', abandoned: 'abandoned' } as const;

interface ResultWriter {
  pay(result: OwedResult, assignment: RecordContext): Promise<keyof typeof handledAs | 'too_large'>;
}

export type HeldByTopic = ReadonlyMap<string, HeldOfTopic>;

interface HeldOfTopic {
  readonly records: number;
  /** Epoch milliseconds at which the first of them is due. */
  readonly nextDueAt: number;
}

interface HeldRetry {
  readonly topic: string;
  readonly dueAtMonotonic: number;
  readonly release: () => void;
}

/**
 * Holds the records of the tiers until each is due, and then passes them to the pipeline as deliveries. Owns the timers of
 * the records that are held.
 *
 * ```
 *            not an envelope
 *  handle() ────────────────▶ dead letter
 *     │
 *     ▼       due, or the tier's delay is over
 *   held ──────────────────────────────────────▶ pipeline.handleRetry(), or results.pay()
 *     │ release()
 *     ▼
 *  'abandoned': it stays in its tier, and its next reader holds it again
 * ```
 *
 * `Admission` calls `handle` for each record of a tier. `GroupConsumer` calls `release` through `Intake.drain`, before
 * partitions are given up and after they are lost. The status page reads `held`.
 *
 * Promises:
 * - No delivery starts before it is due. A record that is due later than its tier's delay is passed on after that delay,
 *   and the pipeline writes it to another tier.
 * - The wall clock counts once, when the record is read. Setting it later neither ends a wait nor prolongs it.
 * - A record that is held is unsettled: it holds the commit of its partition back and counts against the intake limits.
 * - `release` ends all waits at once. Without it, each barrier would last until its grace periods are over.
 */
export class RetryIntake {
  readonly #options: RetryIntakeOptions;
  readonly #held = new SwapList<HeldRetry>();

  constructor(options: RetryIntakeOptions) {
    this.#options = options;
  }

  /** Holds the record until it is due. Ends its context if it is released before that. */
  async handle(record: SourceRecord, context: RecordContext): Promise<void> {
    const { pipeline, results, tierOf, clock } = this.#options;
    const envelope = readEnvelope(record);
    if (envelope.kind === 'unreadable') return pipeline.handleUnreadable(record, envelope.problem, context);
    const { label, delayMs } = tierOf(record.topic);
    const { timestamp: writtenAt, topic } = record;
    const [now, readAt] = [clock.now(), clock.monotonic()];
    const dueAt = envelope.dueAt ?? (writtenAt ?? now) + delayMs;
    const inLogForMs = Math.max(0, readAt - context.inLogSince);
    const { dueInMs, holdMs } = tierWait({ dueAt, writtenAt, delayMs, inLogForMs }, now);
    context.noteHold(holdMs);
    const stay = { tier: label, readAt: now, dueAt, dueAtMonotonic: readAt + dueInMs };
    while (clock.monotonic() < readAt + holdMs) {
      const waitMs = readAt + holdMs - clock.monotonic();
      if (await this.#hold(waitMs, { topic, dueAtMonotonic: stay.dueAtMonotonic })) return context.end('abandoned');
    }
    if (envelope.kind === 'delivery')
      return pipeline.handleRetry({ record, delivery: envelope.delivery, stay }, context);
    const paid = (await results?.pay(envelope.result, context)) ?? 'written';
    if (paid === 'too_large')
      return pipeline.handleUnreadable(record, 'neither results topic nor tier takes it', context);
    context.end(handledAs[paid]);
  }

  /** Abandons all records that are held. They stay in their tiers and are read again. */
  release(): void {
    for (const { release } of this.#held) release();
  }

  held(): HeldByTopic {
    const byTopic = new Map<string, HeldOfTopic>();
    for (const { topic, dueAtMonotonic } of this.#held) {
      const dueAt = wallTimeAt(this.#options.clock, dueAtMonotonic);
      const { records, nextDueAt } = byTopic.get(topic) ?? { records: 0, nextDueAt: dueAt };
      byTopic.set(topic, { records: records + 1, nextDueAt: Math.min(nextDueAt, dueAt) });
    }
    return byTopic;
  }

  /** Resolves to false after the wait, or to true if the record is released before that. */
  #hold(ms: number, record: Omit<HeldRetry, 'release'>): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isReleased: boolean): void => {
        timer[Symbol.dispose]();
        this.#held.delete(entry);
        resolve(isReleased);
      };
      const timer = this.#options.clock.after(ms, () => end(false));
      const entry = this.#held.add({ ...record, release: () => end(true) });
    });
  }
}
