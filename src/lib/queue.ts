/** A first-in, first-out queue whose `shift` takes constant time. The `shift` of an array moves all later items. */
export class Queue<Item> {
  #items: (Item | undefined)[];
  #head = 0;

  constructor(items: readonly Item[] = []) {
    this.#items = [...items];
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  last(): Item | undefined {
    return this.length === 0 ? undefined : this.#items.at(-1);
  }

  shift(): Item | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#items.length) this.clear();
    else if (this.#head > 1024 && this.#head * 2 > this.#items.length) this.#compact();
    return item;
  }

  /** Calls `look` for each item, oldest first. */
  forEach(look: (item: Item) => void): void {
    for (let index = this.#head; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) look(item);
    }
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
