/** How much of what was seen before still counts after one more completion: some sixty of them make the recent pace. */
const keeps = 1 - 1 / 64;

/** The free times of one endpoint that has more waiting than it takes: one behind the other, at its recent pace. */
export class PaceEstimator {
  /** Requests that came back while others waited, and the time that they took together, older ones counting less. */
  #completions: number;
  #elapsedMs: number;
  /** Since when others have been waiting, or when one last came back while they did. */
  #busySince: number | undefined;
  readonly #longestMs: number;
  /** Slots given away that the endpoint had not come to at that time, as far as its pace tells. */
  #ahead = 0;
  #aheadAt = 0;

  /**
   * The guess counts as much as so many completions: an endpoint answers as many at once before its pace can be told.
   * Nobody waits for longer than `longestMs`.
   */
  constructor(guess: { readonly intervalMs: number; readonly completions: number }, longestMs: number) {
    this.#completions = guess.completions;
    this.#elapsedMs = guess.completions * guess.intervalMs;
    this.#longestMs = longestMs;
  }

  /** From now on somebody waits; nobody did. */
  busy(now: number): void {
    this.#busySince = now;
  }

  /** A request came back. Only while others wait does the time since the one before tell how fast the endpoint is. */
  completed(now: number, othersWait: boolean): void {
    if (othersWait && this.#busySince !== undefined) {
      this.#completions = this.#completions * keeps + 1;
      this.#elapsedMs = this.#elapsedMs * keeps + now - this.#busySince;
    }
    this.#busySince = othersWait ? now : undefined;
  }

  /**
   * The next free time, which is taken from then on. `waiting` are those who come before. What is ahead is counted, not
   * timed: an endpoint that gets faster comes to it sooner.
   */
  reserve(now: number, waiting: number): number {
    this.#ahead = this.#aheadBy(now);
    this.#aheadAt = now;
    const inMs = (waiting + this.#ahead) * this.#intervalMs;
    if (inMs <= this.#longestMs) this.#ahead += 1;
    return Math.round(now + inMs);
  }

  /** Whether slots in the future are given away. */
  hasReservations(now: number): boolean {
    return this.#aheadBy(now) > 0;
  }

  #aheadBy(now: number): number {
    return Math.max(0, this.#ahead - (now - this.#aheadAt) / this.#intervalMs);
  }

  get #intervalMs(): number {
    return Math.max(1, this.#elapsedMs / this.#completions);
  }
}
