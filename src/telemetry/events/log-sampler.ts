/** Lets through the first of a kind, then one per interval at most, and counts the others. */
export class LogSampler {
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, { readonly passedAt: number; heldBack: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Undefined: hold it back. Else it may pass, and this many were held back since the last one that did. */
  pass(kind: string, now: number): number | undefined {
    const last = this.#kinds.get(kind);
    if (last !== undefined && now - last.passedAt < this.#intervalMs) {
      last.heldBack += 1;
      return undefined;
    }
    this.#kinds.set(kind, { passedAt: now, heldBack: 0 });
    return last?.heldBack ?? 0;
  }
}
