/** Keeps the items with the highest ranks of all that were offered, without sorting them all. Rank zero is ignored. */
export class TopN<T> {
  readonly #size: number;
  readonly #items: { readonly item: T; readonly rank: number }[] = [];
  #total = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The count of offered items with a rank above zero. */
  get total(): number {
    return this.#total;
  }

  /** The kept items, highest rank first. Items of equal rank stay in the order in which they were offered. */
  get items(): readonly T[] {
    return this.#items.map(({ item }) => item);
  }

  offer(item: T, rank: number): void {
    if (rank === 0) return;
    this.#total += 1;
    const isFull = this.#items.length === this.#size;
    if (isFull && rank <= (this.#items.at(-1)?.rank ?? 0)) return;
    if (isFull) this.#items.pop();
    this.#items.splice(this.#indexFor(rank), 0, { item, rank });
  }

  /** Finds the index after all items of at least this rank, by binary search. */
  #indexFor(rank: number): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle]?.rank ?? 0) >= rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
