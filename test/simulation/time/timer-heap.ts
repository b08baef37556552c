export interface Timer {
  /** Epoch milliseconds, which need not be whole. */
  readonly dueAt: number;
  /** Counts up. Timers that are due at the same time run in this order. */
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The timers of a run, ordered by due time. A run has tens of thousands, so a linear search would be too slow. */
export class TimerHeap {
  readonly #timers: Timer[] = [];

  push(timer: Timer): void {
    this.#timers.push(timer);
    this.#rise(this.#timers.length - 1);
  }

  /** Removes and returns the next timer, unless it is due after `until`. */
  shift(until: number): Timer | undefined {
    const [first] = this.#timers;
    if (first === undefined || first.dueAt > until) return undefined;
    const last = this.#timers.pop();
    if (last !== undefined && last !== first) {
      this.#timers[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(): void {
    let index = 0;
    while (true) {
      const left = 2 * index + 1;
      const right = left + 1;
      const child = this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, index)) return;
      this.#swap(child, index);
      index = child;
    }
  }

  /** A missing timer comes last. */
  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (a === undefined || b === undefined) return a !== undefined;
    return a.dueAt === b.dueAt ? a.order < b.order : a.dueAt < b.dueAt;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#timers[one], this.#timers[other]];
    if (a === undefined || b === undefined) return;
    this.#timers[one] = b;
    this.#timers[other] = a;
  }
}
