/** Where an item stands in its bag, which alone writes to it. */
export interface SwapListEntry<Item> {
  readonly item: Item;
  index: number;
}

/**
 * What is there at present, in no order, for much coming and going: a `Set` keeps garbage alive then. V8 gives a `Set`, or a
 * `Map`, another table whenever it grows or shrinks, and each table points to its successor. Once one of them has grown
 * old, what all later ones held stays in memory until everything is collected, and each collection of new objects copies it.
 */
export class SwapList<Item> {
  readonly #places: SwapListEntry<Item>[] = [];

  /** What is returned is for `delete`. */
  add(item: Item): SwapListEntry<Item> {
    const place = { item, index: this.#places.length };
    this.#places.push(place);
    return place;
  }

  /** Does nothing when it is gone already. */
  delete(place: SwapListEntry<Item>): void {
    if (this.#places[place.index] !== place) return;
    const last = this.#places.pop();
    if (last === undefined || last === place) return;
    this.#places[place.index] = last;
    last.index = place.index;
  }

  /** What is there now, whatever comes or goes meanwhile. */
  [Symbol.iterator](): IterableIterator<Item> {
    return this.#places.map(({ item }) => item).values();
  }
}
