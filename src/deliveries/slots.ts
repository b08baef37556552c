/** How much one completion weighs in the recent pace. */
const weight = 0.2;

/** The free times of one endpoint that has more waiting than it takes: one behind the other, at its recent pace. */
export class Slots {
  #intervalMs: number;
  #isGuess = true;
  #completedAt: number | undefined;
  #nextAt = 0;

  /** `intervalMs` is the guess that holds until the pace was measured. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** A request came back. Only while others wait does the time since the one before tell how fast the endpoint is. */
  completed(now: number, othersWait: boolean): void {
    if (othersWait && this.#completedAt !== undefined) {
      this.#intervalMs += (this.#isGuess ? 1 : weight) * (now - this.#completedAt - this.#intervalMs);
      this.#isGuess = false;
    }
    this.#completedAt = othersWait ? now : undefined;
  }

  /** The next free time, which is taken from then on. `waiting` are those who come before. */
  next(now: number, waiting: number): number {
    const at = Math.max(now + Math.ceil(waiting * this.#intervalMs), this.#nextAt);
    this.#nextAt = at + Math.max(1, this.#intervalMs);
    return Math.round(at);
  }

  /** Whether slots in the future are given away. */
  isBooked(now: number): boolean {
    return this.#nextAt > now;
  }
}
