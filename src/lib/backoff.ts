/** How long to wait before each further try: doubled from the first to the longest. */
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

  /** It worked: the next failure begins anew. */
  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
