import type { SourceRecord } from '../certificates/record.ts';
import { heldUntil } from '../deliveries/schedule.ts';
import type { Clock } from '../lib/clock.ts';
import type { AssignmentLife, Handled, Pipeline } from '../pipeline.ts';
import { readEnvelope } from './envelope.ts';
import type { Tier } from './tiers.ts';

export interface TierIntakeParts {
  readonly pipeline: Pick<Pipeline, 'handleRetry' | 'handleUnreadable'>;
  /** The tier that a topic is. */
  readonly tierOf: (topic: string) => Tier;
  readonly clock: Clock;
}

/** Holds the records of the tiers until each is due, and then lets them go on as deliveries. */
export class TierIntake {
  readonly #parts: TierIntakeParts;
  readonly #held = new Set<() => void>();

  constructor(parts: TierIntakeParts) {
    this.#parts = parts;
  }

  async handle(record: SourceRecord, assignment: AssignmentLife): Promise<Handled> {
    const { pipeline, tierOf, clock } = this.#parts;
    const envelope = readEnvelope(record);
    if (envelope.kind === 'unreadable') return pipeline.handleUnreadable(record, envelope.problem, assignment);
    const { label, delayMs } = tierOf(record.topic);
    const writtenAt = record.timestamp ?? clock.now();
    const dueAt = envelope.dueAt ?? writtenAt + delayMs;
    const isDue = await this.#hold(heldUntil(dueAt, writtenAt, delayMs));
    if (!isDue) return 'abandoned';
    return pipeline.handleRetry({ record, delivery: envelope.delivery, stay: { tier: label, dueAt } }, assignment);
  }

  /** What is not due stays in its tier: it is read again. */
  release(): void {
    for (const letGo of this.#held) letGo();
  }

  /** Resolves to true when the time has come, to false when the partition is given up before. */
  async #hold(until: number): Promise<boolean> {
    const { clock } = this.#parts;
    while (clock.now() < until) {
      const isReleased = await this.#wait(until - clock.now());
      if (isReleased) return false;
    }
    return true;
  }

  #wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isReleased: boolean): void => {
        timer[Symbol.dispose]();
        this.#held.delete(letGo);
        resolve(isReleased);
      };
      const letGo = (): void => end(true);
      const timer = this.#parts.clock.after(ms, () => end(false));
      this.#held.add(letGo);
    });
  }
}
