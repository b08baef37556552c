/** A failed load may have failed for a reason that leaves no trace in the files: out of file handles, say. */
const retryAfterMs = 60_000;

/**
 * Decides when files that were looked at are to be loaded: once they have changed and then stood still from one look to
 * the next. A file that is still being written may be legal and lack half of its configurations.
 */
export class SettledChange {
  #loaded: string;
  #lastSeen: string;
  #retryAt = Number.POSITIVE_INFINITY;

  /** `loaded` is the fingerprint of the files as they were loaded first. */
  constructor(markLoaded: string) {
    this.#loaded = markLoaded;
    this.#lastSeen = markLoaded;
  }

  /** Whether what is seen now is to be loaded. Times are epoch milliseconds. */
  isDue(fingerprint: string, now: number): boolean {
    const standsStill = fingerprint === this.#lastSeen;
    this.#lastSeen = fingerprint;
    return standsStill && (fingerprint !== this.#loaded || now >= this.#retryAt);
  }

  loaded(fingerprint: string): void {
    this.#loaded = fingerprint;
    this.#retryAt = Number.POSITIVE_INFINITY;
  }

  /** Not tried again before the files change, or some time has passed. */
  markFailed(fingerprint: string, now: number): void {
    this.#loaded = fingerprint;
    this.#retryAt = now + retryAfterMs;
  }
}
