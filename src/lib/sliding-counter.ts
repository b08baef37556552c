/** One that was counted; the tally's own. */
export interface CounterBucket {
  count: number;
}

/**
 * How many of something came lately and are still there. Who stays for longer than a period, two at most, is no longer
 * counted.
 */
export class SlidingCounter {
  readonly #periodMs: number;
  #older: CounterBucket = { count: 0 };
  #newer: CounterBucket = { count: 0 };
  #turnedAt = Number.NEGATIVE_INFINITY;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** One came. What is returned is for `remove`. */
  add(now: number): CounterBucket {
    this.#turn(now);
    this.#newer.count += 1;
    return this.#newer;
  }

  /** It is gone, however late. */
  remove(counted: CounterBucket): void {
    counted.count -= 1;
  }

  count(now: number): number {
    this.#turn(now);
    return this.#older.count + this.#newer.count;
  }

  #turn(now: number): void {
    const sinceMs = now - this.#turnedAt;
    if (sinceMs < this.#periodMs) return;
    this.#older = sinceMs < 2 * this.#periodMs ? this.#newer : { count: 0 };
    this.#newer = { count: 0 };
    this.#turnedAt = now;
  }
}
