import type { ReadProgress } from './topic-reader.ts';

/** The keys of a topic that was read again from its start, compared with those before. */
export interface Refill {
  /** Keys of the last complete state, without those that a tombstone has removed since. */
  readonly expected: number;
  /** Keys of these that are there again. */
  readonly found: number;
  /** True if `configurations accept` confirmed what the topic holds. */
  readonly isAccepted: boolean;
}

/**
 * Time in ms without a new key after which a topic that holds between a half and all of the keys counts as filled. Whoever
 * fills it writes many a second. Without this time, plans would go on in the middle of that, and miss the second half.
 */
const settledAfterMs = 10_000;

/**
 * Decides when a topic that was read again may replace the last complete state. Owns the time at which the last key came.
 *
 * | The topic holds                      | It is filled                                         |
 * | ------------------------------------ | ---------------------------------------------------- |
 * | as many keys as before, or more      | at once                                              |
 * | at least half as many                | once no key was added for 10 s                       |
 * | fewer                                | once `configurations accept` confirmed what it holds |
 */
export class RefillWatch {
  #found = -1;
  #changedAt = 0;

  /** Takes the monotonic time up to which the topic is known. It stands still while the topic can't be read. */
  isFilled({ expected, found, isAccepted }: Refill, { knownUpTo, isAtEnd }: ReadProgress): boolean {
    if (isAccepted || found >= expected) return true;
    if (found !== this.#found || !isAtEnd) {
      this.#found = found;
      this.#changedAt = knownUpTo;
    }
    return 2 * found >= expected && knownUpTo - this.#changedAt >= settledAfterMs;
  }
}
