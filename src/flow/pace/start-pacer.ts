import { LearnedPace } from './learned-pace.ts';

/** The window in ms that the limit is about: a minute, and a millisecond for rounding. */
const windowMs = 60_001;
/**
 * The time in ms by which a start may come early, to make up for one that came late. A timer is late by a millisecond or
 * more, which would halve 60,000 a minute.
 */
const toleranceMs = 100;

/**
 * Spaces the requests to one webhook. The longer of two spacings counts: that of the webhook's own limit, and that learned from an
 * endpoint that asks for time. Most webhooks have neither, and their `Gate` has none: each would take 100 bytes.
 *
 * The webhook's limit holds for each minute, wherever it begins. Starts are spaced by the minute and the tolerance, divided by the limit. One more than
 * the limit then takes at least a minute, even if it comes early by the whole tolerance. The price is a rate of 99.8 % of the limit.
 * This is the generic cell rate algorithm (ITU-T I.371), with the tolerance as its τ. By the learned spacing no start comes early:
 * in a limiter's window of a second, five of them are more than it allows.
 *
 * A start may have to open a connection, which takes longer for one than for the next. So writes are spaced again by the limit, and
 * those that come too soon are held.
 *
 * A pacer knows nothing of what another process sent. By the limit it begins one spacing and the tolerance after the partitions
 * were assigned. So two processes keep the limit together if they have a partition one after the other.
 */
export class StartPacer {
  readonly perMinute: number | undefined;
  readonly #ownMs: number;
  #learned: LearnedPace | undefined;
  /** The monotonic time of the next start if all come in time. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** The same of the next request that is written. */
  #nextWriteAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number | undefined, assignedAt: number) {
    this.perMinute = perMinute;
    this.#ownMs = perMinute === undefined ? 0 : (windowMs + toleranceMs) / perMinute;
    this.assigned(assignedAt);
  }

  /** The time between two starts; 0 without a limit. */
  get spacingMs(): number {
    return Math.max(this.#ownMs, this.#learned?.spacingMs ?? 0);
  }

  get hasLearned(): boolean {
    return this.#learned !== undefined;
  }

  /** True if all starts come by the webhook's own limit. A learned spacing changes. */
  get isExact(): boolean {
    return this.#ownMs > 0 && this.#learned === undefined;
  }

  /** The earliest monotonic time of the next start. */
  get readyAt(): number {
    return this.spacingMs > this.#ownMs ? this.#nextAt : this.#nextAt - toleranceMs;
  }

  isReady(now: number): boolean {
    return now >= this.readyAt;
  }

  /** Notes that a request starts. */
  started(now: number): void {
    const learned = this.#learned;
    // Less than half of the pace says nothing about it.
    if (learned !== undefined && now < this.#nextAt + learned.spacingMs) learned.started();
    if (learned?.isOver === true) this.#learned = undefined;
    this.#nextAt = Math.max(this.#nextAt, now) + this.spacingMs;
  }

  /** Forgets what was learned, because the webhook has a new version. */
  forget(): void {
    this.#learned = undefined;
  }

  /** Notes that the endpoint asks for time, after it has accepted so many requests in `busyMs`, at least one at first. */
  paused(askedMs: number, busyMs: number, accepted: number): void {
    if (this.#learned === undefined) this.#learned = new LearnedPace((busyMs + askedMs) / accepted);
    else this.#learned.paused(askedMs, busyMs);
  }

  /** Notes that a request could be written now. Returns for how long it must be held, because another was written late. */
  write(now: number): number {
    if (this.perMinute === undefined) return 0;
    const holdMs = Math.max(0, this.#nextWriteAt - toleranceMs - now);
    this.#nextWriteAt = Math.max(this.#nextWriteAt, now) + this.#ownMs;
    return holdMs;
  }

  /** Notes that partitions were assigned, whose deliveries another process may just have sent. */
  assigned(now: number): void {
    if (this.#ownMs > 0) this.#nextAt = Math.max(this.#nextAt, now + this.#ownMs + 2 * toleranceMs);
  }
}
