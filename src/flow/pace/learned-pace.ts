/** The unit of the growth: a pause in so many starts, and in so many seconds, costs about a twentieth. */
const unit = 20;
const longestMs = 10_000;
const shortestMs = 1;

/**
 * The time between requests that an endpoint seems to take, learned from its pauses. `StartPacer` owns one from the first of
 * them until it is too short to matter.
 *
 * | when                  | the spacing                                                              |
 * | --------------------- | ------------------------------------------------------------------------ |
 * | the first pause       | is that of the requests accepted until then, over all the time they took |
 * | each further pause    | grows by the root of 1 + pause / time since the one before, at least 5 % |
 * | n starts after that   | is divided by e^((n / unit)³ / 20)                                       |
 *
 * A pause is asked for in whole seconds, so its time tells little of the rate when it comes after a short time: hence the root. The
 * growth is slow near the rate that was last refused, and fast once it was long not refused. CUBIC (RFC 9438) does the same. A unit is
 * 20 starts, because the request that is refused counts as an attempt, and 20 seconds, because about one is lost.
 */
export class LearnedPace {
  /** The spacing at the last pause. */
  #pausedMs = 0;
  #unitStarts = 0;
  #starts = 0;
  #spacingMs = 0;

  constructor(spacingMs: number) {
    this.#restart(spacingMs);
  }

  get spacingMs(): number {
    return this.#spacingMs;
  }

  /** True once requests are no longer held back. */
  get isOver(): boolean {
    return this.#spacingMs < shortestMs;
  }

  /** Notes that the endpoint asked for so much time, after it had accepted requests for `sinceMs`. */
  paused(askedMs: number, sinceMs: number): void {
    this.#restart(this.#spacingMs * Math.max(1 + 1 / unit, Math.sqrt(1 + askedMs / sinceMs)));
  }

  /** Notes that a request starts that came soon after the one before. */
  started(): void {
    this.#starts += 1;
    this.#spacingMs = this.#pausedMs / Math.exp((this.#starts / this.#unitStarts) ** 3 / unit);
  }

  #restart(spacingMs: number): void {
    this.#pausedMs = Math.min(longestMs, Math.max(shortestMs, spacingMs));
    this.#spacingMs = this.#pausedMs;
    this.#unitStarts = unit * Math.max(1, 1000 / this.#pausedMs);
    this.#starts = 0;
  }
}
