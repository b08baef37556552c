/** Pause before a failed load is repeated. Its cause, such as too few file handles, may not show in the files. */
const retryAfterMs = 60_000;

/**
 * Decides when polled files are loaded: after they have changed, two polls in a row saw the same change, and it is as old as it
 * has to be. A file that is still being written may be valid and yet hold only half of its configurations.
 */
export class SettledChange {
  #loaded: string;
  #lastSeen: string;
  #seenAt = Number.NEGATIVE_INFINITY;
  #retryAt = Number.POSITIVE_INFINITY;

  /** `loaded` is the fingerprint of the files as they were first loaded. */
  constructor(loaded: string) {
    this.#loaded = loaded;
    this.#lastSeen = loaded;
  }

  /** Returns whether the files of this poll are to be loaded. A change has to be `settleMs` old. */
  isDue(fingerprint: string, now: number, settleMs = 0): boolean {
    const isSame = fingerprint === this.#lastSeen;
    if (!isSame) this.#seenAt = now;
    this.#lastSeen = fingerprint;
    return isSame && now - this.#seenAt >= settleMs && (fingerprint !== this.#loaded || now >= this.#retryAt);
  }

  /** Records that the files of this fingerprint are in use. */
  markLoaded(fingerprint: string): void {
    this.#loaded = fingerprint;
    this.#retryAt = Number.POSITIVE_INFINITY;
  }

  /** Postpones the next load until the files change or a minute has passed. */
  markFailed(fingerprint: string, now: number): void {
    this.#loaded = fingerprint;
    this.#retryAt = now + retryAfterMs;
  }
}
