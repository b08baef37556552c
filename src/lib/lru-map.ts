/** A map of at most `limit` entries. A new entry beyond the limit replaces the least recently used one. */
export class LruMap<Value extends object> {
  readonly #limit: number;
  /** A `Map` lists its keys in the order of insertion, so the first one is the least recently used. */
  readonly #entries = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  values(): readonly Value[] {
    return [...this.#entries.values()];
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
