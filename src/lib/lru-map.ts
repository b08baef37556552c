/** The entries set with one iterator, which keeps the tables in memory that its `Map` has outgrown in the meantime. */
const renewAfter = 1000;

/** A map whose entries have at most the size `limit` together. A new entry beyond it replaces the least recently used ones. */
export class LruMap<Value extends object> {
  readonly #limit: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;
  /** A `Map` lists its keys in the order of insertion, so the first one is the least recently used. */
  readonly #entries = new Map<string, Value>();
  /** Where the least recently used key is. A new iterator would first pass the places of removed entries, up to as many as stay. */
  #oldest = this.#entries.keys();
  #sets = 0;

  /** Without `sizeOf`, each entry has the size 1. */
  constructor(limit: number, sizeOf: (value: Value) => number = () => 1) {
    this.#limit = limit;
    this.#sizeOf = sizeOf;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Returns a value without counting that as a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(value);
    this.#sets += 1;
    if (this.#sets % renewAfter === 0) this.#oldest = this.#entries.keys();
    while (this.#size > this.#limit) this.delete(this.#oldest.next().value ?? key);
  }

  values(): readonly Value[] {
    return [...this.#entries.values()];
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.#sizeOf(value);
  }
}
