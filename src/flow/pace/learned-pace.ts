/**
 * The starts, and the seconds, after which the spacing is shorter by a twentieth. A refused request is an attempt, so at most one in
 * about 20 should be. A pause loses about a second, because it is asked for in whole ones.
 */
const unit = 20;
/** The spacing for a limit of 0.1 a second. A wrong guess beyond it would hold a backlog for hours. */
const longestMs = 10_000;
/** Timers are no more exact. */
const shortestMs = 1;

/**
 * The time between requests that an endpoint seems to take, learned from the pauses that it asks for. `StartPacer` owns one from the
 * first pause until the spacing is too short to matter.
 *
 * | when                | the spacing                                                                      |
 * | ------------------- | -------------------------------------------------------------------------------- |
 * | at the first pause  | is the time until its end, divided by the requests accepted before               |
 * | at each further one | is multiplied by √(1 + its time / the time since the last one), by 1.05 at least |
 * | n starts after it   | is divided by e^((n / unit)³ / 20), where a unit takes at least 20 s             |
 *
 * The growth of the rate is slow near the one that was last refused, and fast once it was not refused for long. CUBIC (RFC 9438) does
 * the same. Without the root, one pause after few requests, as by chance, would make the spacing several times too long.
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
