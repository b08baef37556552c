/** The count of one period. Only the counter changes it. */
export interface CounterBucket {
  count: number;
}

/**
 * Counts items that were added recently and not removed since. An item counts for at least one period and at most two.
 *
 * The count has two buckets. After each period, the older bucket is dropped and a new one takes the added items.
 */
export class SlidingCounter {
  readonly #periodMs: number;
  #older: CounterBucket = { count: 0 };
  #newer: CounterBucket = { count: 0 };
  #rotatedAt = Number.NEGATIVE_INFINITY;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Counts one item. Returns the bucket that `remove` takes. */
  add(now: number): CounterBucket {
    this.#rotate(now);
    this.#newer.count += 1;
    return this.#newer;
  }

  /** Removes one item. Has no effect on the count once the bucket was dropped. */
  remove(bucket: CounterBucket): void {
    bucket.count -= 1;
  }

  count(now: number): number {
    this.#rotate(now);
    return this.#older.count + this.#newer.count;
  }

  #rotate(now: number): void {
    const sinceMs = now - this.#rotatedAt;
    if (sinceMs < this.#periodMs) return;
    this.#older = sinceMs < 2 * this.#periodMs ? this.#newer : { count: 0 };
    this.#newer = { count: 0 };
    this.#rotatedAt = now;
  }
}
