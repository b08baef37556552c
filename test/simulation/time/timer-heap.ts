export interface Timer {
  /** Epoch milliseconds, which need not be whole. */
  readonly dueAt: number;
  /** Of those due at the same time the one started first comes first. */
  readonly order: number;
  readonly run: () => void;
  isOff: boolean;
}

/** The timers of a run, the next one on top: a run has tens of thousands, so looking through all would be too slow. */
export class TimerHeap {
  readonly #timers: Timer[] = [];

  push(timer: Timer): void {
    this.#timers.push(timer);
    this.#rise(this.#timers.length - 1);
  }

  /** Takes the next timer off, unless it is due after that time. */
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

  /** What is not there comes last. */
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
