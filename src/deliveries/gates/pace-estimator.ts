/** The weight that earlier completions keep after one more: about the latest 64 completions make the pace. */
const keeps = 1 - 1 / 64;

/**
 * Estimates when one endpoint will be free for a delivery that finds its waiting room full.
 *
 * Owns the recent pace, as completions over the time that they took, and the number of free times reserved ahead. The
 * gate calls `busy` when a first delivery waits, `completed` when a request ends, and `reserve` for each rejected
 * delivery.
 *
 *     time until free = (deliveries waiting + free times reserved) × recent interval
 *
 * - Each free time is reserved for one delivery, so that the deliveries of a backlog come back one by one.
 * - Reservations are counted, not stored as times. An endpoint that gets faster reaches them earlier, so later
 *   estimates shrink.
 * - Only time during which deliveries wait is measured. An idle endpoint is not slow.
 * - Completions are counted over a time. Requests that are sent together return together, so single intervals mislead.
 * - Free times later than `longestMs` are not reserved: a delivery expires before them.
 *
 * Without the reservations, all rejected deliveries would come back at the same time and find the room full again.
 */
export class PaceEstimator {
  /** Requests that ended while others waited, and the total time between their ends. Older ones count less. */
  #completions: number;
  #elapsedMs: number;
  /** The latest completion while deliveries waited, or the time when the first of them began to wait. */
  #busySince: number | undefined;
  readonly #longestMs: number;
  /** The interval that the webhook's own limit sets. */
  #shortestIntervalMs = 1;
  /** Free times that were reserved and not yet reached at `#reservedAt`. */
  #reserved = 0;
  #reservedAt = 0;

  /** The guess has the weight of that many completions, for the time until the pace has been measured. */
  constructor(guess: { readonly intervalMs: number; readonly completions: number }, longestMs: number) {
    this.#completions = guess.completions;
    this.#elapsedMs = guess.completions * guess.intervalMs;
    this.#longestMs = longestMs;
  }

  /** Sets the shortest interval, in ms. The measured one counts if it is longer. */
  limitTo(intervalMs: number): void {
    this.#shortestIntervalMs = Math.max(1, intervalMs);
  }

  /** Notes that a delivery waits, after a time in which none did. */
  busy(now: number): void {
    this.#busySince = now;
  }

  /** Notes that a request ended. Its time since the one before is measured only if others wait. */
  completed(now: number, othersWait: boolean): void {
    if (othersWait && this.#busySince !== undefined) {
      this.#completions = this.#completions * keeps + 1;
      this.#elapsedMs = this.#elapsedMs * keeps + now - this.#busySince;
    }
    this.#busySince = othersWait ? now : undefined;
  }

  /**
   * Returns the milliseconds until the next estimated free time and reserves it. `waiting` is the number of deliveries in the waiting room.
   */
  reserve(now: number, waiting: number): number {
    this.#reserved = this.#reservedAhead(now);
    this.#reservedAt = now;
    const inMs = (waiting + this.#reserved) * this.#intervalMs;
    if (inMs <= this.#longestMs) this.#reserved += 1;
    return Math.round(inMs);
  }

  /** Returns whether free times in the future are reserved. */
  hasReservations(now: number): boolean {
    return this.#reservedAhead(now) > 0;
  }

  #reservedAhead(now: number): number {
    return Math.max(0, this.#reserved - (now - this.#reservedAt) / this.#intervalMs);
  }

  get #intervalMs(): number {
    return Math.max(this.#shortestIntervalMs, this.#elapsedMs / this.#completions);
  }
}
