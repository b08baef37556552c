/** Empty queues give a larger buffer back. */
const largestKept = 1024;
const smallest = [undefined, undefined, undefined, undefined] as const;

/**
 * A first-in, first-out queue in a ring buffer: `push` and `shift` take constant time, and allocate nothing while the
 * length stays about the same. The `shift` of an array moves all later items.
 */
export class Queue<Item> {
  /** Its length is a power of two. */
  #items: (Item | undefined)[] = [];
  #head = 0;
  #length = 0;

  constructor(items?: Iterable<Item>) {
    if (items !== undefined) for (const item of items) this.push(item);
  }

  get length(): number {
    return this.#length;
  }

  push(item: Item): void {
    if (this.#length === this.#items.length) this.#grow();
    this.#items[this.#indexOf(this.#length)] = item;
    this.#length += 1;
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  last(): Item | undefined {
    return this.#length === 0 ? undefined : this.#items[this.#indexOf(this.#length - 1)];
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.#length; index += 1) {
      const item = this.#items[this.#indexOf(index)];
      if (item !== undefined) yield item;
    }
  }

  shift(): Item | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = this.#indexOf(1);
    this.#length -= 1;
    if (this.#length === 0 && this.#items.length > largestKept) this.clear();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#length = 0;
  }

  #indexOf(position: number): number {
    return (this.#head + position) & (this.#items.length - 1);
  }

  /** Doubles the buffer, which is full. An iterator would take 0.2 KB for each queue, and each owner with records has one. */
  #grow(): void {
    const before = this.#items;
    const ordered = before.slice(this.#head).concat(before.slice(0, this.#head));
    this.#items = before.length === 0 ? [...smallest] : ordered.concat(before.fill(undefined));
    this.#head = 0;
  }
}
