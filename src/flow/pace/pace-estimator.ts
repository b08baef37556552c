/** The latest completions that make the pace. */
const remembered = 64;
/** The weight that earlier completions keep after one more. */
const keeps = 1 - 1 / remembered;

/** The part of a learned spacing by which free times are apart at least. It may be a little too long. */
const learnedPart = 3 / 4;

/** The time between two requests that the endpoint's pacer keeps. */
interface Spacing {
  readonly spacingMs: number;
  /** False if it was learned, and will change. */
  readonly isExact: boolean;
}

/** A delivery that can't wait at its endpoint. */
interface Rejected {
  /** The monotonic time of the next request, if nothing waits. */
  readonly nextAt: number;
  /** True if it is back at the free time that it was given. */
  readonly isBack: boolean;
  /** The deliveries that wait. */
  readonly waiting: number;
}

/**
 * Estimates when one endpoint will be free for a delivery that finds its waiting room full.
 *
 * Owns the recent pace, and the times behind the free times that are reserved. The gate calls `completed` when a request ends,
 * and `reserve` for each rejected delivery.
 *
 *     interval = max(the spacing of its pacer, response time / requests in flight)
 *
 * | rejected          | its free time                                                             |
 * | ----------------- | ------------------------------------------------------------------------- |
 * | new               | behind those that wait, and behind all that are reserved                  |
 * | back at its time  | behind those that wait, and behind others that were back and are rejected |
 *
 * - Each free time is reserved for one delivery, so that the deliveries of a backlog come back one by one.
 * - A delivery is due half an interval before its free time, and three quarters if it was back before. Else a new one would
 *   take its turn whenever a tier is read some ms late.
 * - Reserved times stand while the interval changes by less than a quarter. A measured interval varies by some percent, which
 *   is many intervals at the end of a backlog. If the endpoint gets faster than that, later estimates shrink.
 * - It is measured only while deliveries wait for the endpoint. An idle endpoint is not slow.
 * - After few completions, free times are closer to each other than the interval. One that comes too early gets another; one that
 *   comes too late has left the endpoint idle. A burst gets all its free times within a second or two.
 * - Free times later than `longestMs` are not reserved: a delivery expires before them.
 *
 * Without the reservations, all rejected deliveries would come back at the same time and find the room full again.
 */
export class PaceEstimator {
  /** Requests that ended while others waited. Older ones count less. */
  #completions = 0;
  /** The total of their intervals. Before the first one, a guess. */
  #elapsedMs: number;
  readonly #longestMs: number;
  readonly #longestWaitMs: number;
  #spacing: Spacing | undefined;
  /** The monotonic time behind all that are reserved, and the interval by which it was counted. */
  #reservedUntil = 0;
  #reservedIntervalMs: number;
  /** The time behind those that were back when they were rejected. */
  #backUntil = 0;

  /** The guess counts until a request has ended. */
  constructor(guessedMs: number, { maxAgeMs, maxWaitMs }: { readonly maxAgeMs: number; readonly maxWaitMs: number }) {
    this.#elapsedMs = guessedMs;
    this.#reservedIntervalMs = this.intervalMs;
    this.#longestMs = maxAgeMs;
    this.#longestWaitMs = maxWaitMs;
  }

  /** Sets what gives the shortest interval from now on. The measured one counts if it is longer. */
  limitTo(spacing: Spacing | undefined): void {
    this.#spacing = spacing;
  }

  /** Notes that a request ended while others waited. `inFlight` counts it, too. */
  completed(durationMs: number, inFlight: number): void {
    const before = this.#completions === 0 ? 0 : this.#elapsedMs * keeps;
    this.#elapsedMs = before + durationMs / inFlight;
    this.#completions = this.#completions * keeps + 1;
  }

  /** Returns the milliseconds until the delivery should be back, and reserves its free time. */
  reserve({ nextAt, isBack, waiting }: Rejected, now: number): number {
    const { intervalMs } = this;
    const reservedMs = Math.max(0, this.#reservedUntil - nextAt);
    const ratio = intervalMs / this.#reservedIntervalMs;
    if (reservedMs === 0 || ratio < 3 / 4 || ratio > 5 / 4) {
      this.#reservedUntil = nextAt + reservedMs * ratio;
      this.#reservedIntervalMs = intervalMs;
    }
    const freeAt = Math.max(nextAt + waiting * intervalMs, isBack ? this.#backUntil : this.#reservedUntil);
    if (freeAt - now <= this.#longestMs) {
      const stepMs = this.#stepMs;
      if (isBack) this.#backUntil = freeAt + stepMs;
      this.#reservedUntil = (isBack ? Math.max(nextAt, this.#reservedUntil) : freeAt) + stepMs;
    }
    const earlyMs = (Math.min(intervalMs, this.#longestWaitMs) * (isBack ? 3 : 2)) / 4;
    return Math.max(0, Math.round(freeAt - now - earlyMs));
  }

  /** Returns whether free times in the future are reserved. */
  hasReservations(now: number): boolean {
    return this.#reservedUntil > now;
  }

  /** The estimated time between two requests. */
  get intervalMs(): number {
    return Math.max(1, this.#spacing?.spacingMs ?? 0, this.#measuredMs);
  }

  get #measuredMs(): number {
    return this.#elapsedMs / (this.#completions === 0 ? 1 : this.#completions);
  }

  /** The time between two free times. It is shorter than the interval by its likely error, which is great after few completions. */
  get #stepMs(): number {
    const { spacingMs = 0, isExact = false } = this.#spacing ?? {};
    const discount = this.#completions === 0 ? 0 : 1 / Math.sqrt(this.#completions) - 1 / Math.sqrt(remembered);
    return Math.max(1, isExact ? spacingMs : spacingMs * learnedPart, this.#measuredMs * (1 - Math.max(0, discount)));
  }
}
