/** The items of the highest rank among many, kept in order while they come by. What ranks zero takes no part. */
export class TopN<T> {
  readonly #size: number;
  readonly #first: Ranked<T>[] = [];
  #total = 0;

  /** So many are kept. */
  constructor(size: number) {
    this.#size = size;
  }

  /** How many took part. */
  get total(): number {
    return this.#total;
  }

  /** The highest first; of equals those that came first. */
  get items(): readonly T[] {
    return this.#first.map(({ item }) => item);
  }

  offer(item: T, rank: number): void {
    if (rank === 0) return;
    this.#total += 1;
    const isFull = this.#first.length === this.#size;
    if (isFull && rank <= (this.#first.at(-1)?.rank ?? 0)) return;
    if (isFull) this.#first.pop();
    this.#first.splice(this.#placeOf(rank), 0, { item, rank });
  }

  /** Behind all that rank as high. By halving, since the items may come in the worst order there is. */
  #placeOf(rank: number): number {
    let [low, high] = [0, this.#first.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#first[middle]?.rank ?? 0) >= rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface Ranked<T> {
  readonly item: T;
  readonly rank: number;
}
