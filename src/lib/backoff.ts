/** Computes the wait before each retry, which doubles from `firstMs` up to `longestMs`. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  constructor({ firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number }) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  next(): number {
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * 2, this.#longestMs);
    return waitMs;
  }

  /** Starts again at `firstMs`. Called after a success. */
  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
