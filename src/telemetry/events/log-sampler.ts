/** Accepts the first event of a kind, then at most one per interval, and counts the others. */
export class LogSampler {
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, { readonly acceptedAt: number; heldBack: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Returns undefined to hold the event back. Otherwise returns the number held back since the last accepted one. */
  sample(kind: string, now: number): number | undefined {
    const last = this.#kinds.get(kind);
    if (last !== undefined && now - last.acceptedAt < this.#intervalMs) {
      last.heldBack += 1;
      return undefined;
    }
    this.#kinds.set(kind, { acceptedAt: now, heldBack: 0 });
    return last?.heldBack ?? 0;
  }
}
