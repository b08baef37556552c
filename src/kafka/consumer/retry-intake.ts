import type { SourceRecord } from '../../certificates/record.ts';
import { heldUntil } from '../../deliveries/schedule.ts';
import { SwapList } from '../../lib/swap-list.ts';
import type { Clock } from '../../lib/clock.ts';
import { Pacer } from '../../lib/pacer.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Handled, RecordContext } from '../../pipeline/ports.ts';
import { readEnvelope } from '../records/envelope.ts';
import type { Tier } from '../topics/tier.ts';

export interface RetryIntakeOptions {
  readonly pipeline: Pick<Pipeline, 'handleRetry' | 'handleUnreadable'>;
  /** The tier that a topic is. */
  readonly tierOf: (topic: string) => Tier;
  readonly clock: Clock;
}

/** What waits for its time, by the topic of its tier. */
export type HeldByTopic = ReadonlyMap<string, HeldOfTopic>;

export interface HeldOfTopic {
  readonly records: number;
  /** When the first of them is due. */
  readonly nextDueAt: number;
}

interface HeldRecord {
  readonly topic: string;
  readonly dueAt: number;
  readonly release: () => void;
}

/** What was written together is due together. So many go on at a time at most, and certificates in between. */
const mostAtATime = 8;

/** Holds the records of the tiers until each is due, and then lets them go on as deliveries. */
export class RetryIntake {
  readonly #options: RetryIntakeOptions;
  readonly #held = new SwapList<HeldRecord>();
  readonly #pacer: Pacer;

  constructor(options: RetryIntakeOptions) {
    this.#options = options;
    this.#pacer = new Pacer(mostAtATime, options.clock);
  }

  async handle(record: SourceRecord, context: RecordContext): Promise<Handled> {
    const { pipeline, tierOf, clock } = this.#options;
    const envelope = readEnvelope(record);
    if (envelope.kind === 'unreadable') return pipeline.handleUnreadable(record, envelope.problem, context);
    const { label, delayMs } = tierOf(record.topic);
    const writtenAt = record.timestamp ?? clock.now();
    const dueAt = envelope.dueAt ?? writtenAt + delayMs;
    const until = heldUntil(dueAt, writtenAt, delayMs);
    while (clock.now() < until) {
      const isReleased = await this.#hold(until - clock.now(), { topic: record.topic, dueAt });
      if (isReleased) return 'abandoned';
    }
    await this.#pacer.pass();
    return pipeline.handleRetry({ record, delivery: envelope.delivery, stay: { tier: label, dueAt } }, context);
  }

  /** What is not due stays in its tier: it is read again. */
  release(): void {
    for (const { release } of this.#held) release();
  }

  /** What is held at present. */
  held(): HeldByTopic {
    const byTopic = new Map<string, HeldOfTopic>();
    for (const { topic, dueAt } of this.#held) {
      const { records, nextDueAt } = byTopic.get(topic) ?? { records: 0, nextDueAt: dueAt };
      byTopic.set(topic, { records: records + 1, nextDueAt: Math.min(nextDueAt, dueAt) });
    }
    return byTopic;
  }

  /** Resolves to false when the time is up, to true when the partition is given up before. */
  #hold(ms: number, record: Omit<HeldRecord, 'release'>): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isReleased: boolean): void => {
        timer[Symbol.dispose]();
        this.#held.delete(place);
        resolve(isReleased);
      };
      const timer = this.#options.clock.after(ms, () => end(false));
      const place = this.#held.add({ ...record, release: () => end(true) });
    });
  }
}
