import type { MonotonicClock } from '../../lib/clock.ts';

/** The keys of a topic that was read again from its start, compared with those before. */
export interface Refill {
  /** Keys of the last complete state, without those that a tombstone has removed since. */
  readonly expected: number;
  readonly found: number;
  /** True if `configurations accept` confirmed what the topic holds. */
  readonly isAccepted: boolean;
}

/**
 * Time in ms without a new key after which a topic that holds between a half and all of the keys counts as filled. Whoever
 * fills it writes many a second. Without this time, plans would go on in the middle of that, and miss the second half.
 */
const settledAfterMs = 10_000;

interface RefillWatchOptions {
  readonly clock: MonotonicClock;
  /** Called when `isFilled` may have another answer, although no record was read. */
  readonly changed: () => void;
}

/**
 * Decides when a topic that was read again may replace the last complete state. Owns the timer that runs while keys arrive.
 *
 * | The topic holds                      | It is filled                                         |
 * | ------------------------------------ | ---------------------------------------------------- |
 * | as many keys as before, or more      | at once                                              |
 * | at least half as many                | once no key was added for 10 s                       |
 * | fewer                                | once `configurations accept` confirmed what it holds |
 */
export class RefillWatch implements Disposable {
  readonly #options: RefillWatchOptions;
  #found = -1;
  #changedAt = 0;
  #timer: Disposable | undefined;

  constructor(options: RefillWatchOptions) {
    this.#options = options;
  }

  isFilled({ expected, found, isAccepted }: Refill): boolean {
    if (isAccepted || found >= expected) return true;
    const { clock, changed } = this.#options;
    if (found !== this.#found) {
      this.#found = found;
      this.#changedAt = clock.monotonic();
      this.#timer?.[Symbol.dispose]();
      this.#timer = 2 * found >= expected ? clock.after(settledAfterMs, changed) : undefined;
    }
    return 2 * found >= expected && clock.monotonic() - this.#changedAt >= settledAfterMs;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
