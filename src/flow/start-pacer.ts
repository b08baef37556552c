/** The window in ms that the limit is about: a minute, and a millisecond for rounding. */
const windowMs = 60_001;
/**
 * The time in ms by which a start may come early, to make up for one that came late. A timer is late by a millisecond or
 * more, which would halve 60,000 a minute.
 */
const toleranceMs = 100;

/**
 * Spaces the requests to one webhook so that no minute has more than its limit. `Gate` owns one if the webhook has a limit.
 *
 * Starts are spaced by the minute and the tolerance, divided by the limit. One more than the limit then takes at least a minute,
 * even if it comes early by the whole tolerance. The price is a rate of 99.8 % of the limit. This is the generic cell rate
 * algorithm (ITU-T I.371), with the tolerance as its τ.
 *
 * A start may have to open a connection, which takes longer for one than for the next. So writes are spaced again in the same way,
 * and those that come too soon are held.
 *
 * A pacer knows nothing of what another process sent. It begins one spacing and the tolerance after the partitions were
 * assigned. So two processes keep the limit together if they have a partition one after the other.
 */
export class StartPacer {
  readonly perMinute: number;
  readonly spacingMs: number;
  /** The monotonic time of the next start if all come in time. */
  #nextAt: number;
  /** The same of the next request that is written. */
  #nextWriteAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number, assignedAt: number) {
    this.perMinute = perMinute;
    this.spacingMs = (windowMs + toleranceMs) / perMinute;
    this.#nextAt = assignedAt;
    this.assigned(assignedAt);
  }

  /** The earliest monotonic time of the next start. */
  get readyAt(): number {
    return this.#nextAt - toleranceMs;
  }

  isReady(now: number): boolean {
    return now >= this.readyAt;
  }

  /** Notes that a request starts. */
  started(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, now) + this.spacingMs;
  }

  /** Notes that a request could be written now. Returns for how long it must be held, because another was written late. */
  write(now: number): number {
    const holdMs = Math.max(0, this.#nextWriteAt - toleranceMs - now);
    this.#nextWriteAt = Math.max(this.#nextWriteAt, now) + this.spacingMs;
    return holdMs;
  }

  /** Notes that partitions were assigned, whose deliveries another process may just have sent. */
  assigned(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, now + this.spacingMs + 2 * toleranceMs);
  }
}
