/** The position of an item in its list. Only the list changes it. */
export interface SwapListEntry<Item> {
  readonly item: Item;
  index: number;
}

/**
 * An unordered list with constant-time `add` and `delete`, for items that come and go often.
 *
 * A `Set` or `Map` keeps garbage alive in such a case. V8 replaces its table whenever it grows or shrinks, and each old table
 * points to its successor. Once one table has moved to the old generation, the contents of all later tables stay in memory
 * until a full collection. Each collection of young objects copies them.
 */
export class SwapList<Item> {
  readonly #entries: SwapListEntry<Item>[] = [];

  /** Adds an item. Returns the entry that `delete` takes. */
  add(item: Item): SwapListEntry<Item> {
    const entry = { item, index: this.#entries.length };
    this.#entries.push(entry);
    return entry;
  }

  /** Moves the last entry into the place of this one. Does nothing when the entry was deleted before. */
  delete(entry: SwapListEntry<Item>): void {
    if (this.#entries[entry.index] !== entry) return;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#entries[entry.index] = last;
    last.index = entry.index;
  }

  /** Iterates over a copy, so that items may be added and deleted during the loop. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#entries.map(({ item }) => item).values();
  }
}
