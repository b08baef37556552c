import type { MonotonicClock } from './clock.ts';

/** Something that must end within a fixed time. It is in one list at most, which alone changes its fields. */
export abstract class Expiring {
  dueAt = 0;
  isListed = false;
  previous: Expiring | undefined;
  next: Expiring | undefined;

  /** Called if it was not removed in time. It may be added again then. */
  abstract expire(now: number): void;
}

/**
 * Expires what has not ended after a fixed time, with one timer for all of it, and none for nothing. A timer for each would cost
 * more memory than the request that it watches. As all have the same time, they are due in the order in which they were added.
 */
export class Deadlines implements Disposable {
  readonly #afterMs: number;
  readonly #clock: MonotonicClock;
  #first: Expiring | undefined;
  #last: Expiring | undefined;
  #timer: Disposable | undefined;

  constructor(afterMs: number, clock: MonotonicClock) {
    this.#afterMs = afterMs;
    this.#clock = clock;
  }

  add(item: Expiring): void {
    const now = this.#clock.monotonic();
    item.dueAt = now + this.#afterMs;
    item.isListed = true;
    item.previous = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#setTimer(now);
  }

  /** Removes an item that has ended. Does nothing if it has expired, or was removed before. */
  remove(item: Expiring): void {
    if (!item.isListed) return;
    item.isListed = false;
    const { previous, next } = item;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    // Else the last request of an idle connection would keep all later ones in memory.
    item.previous = undefined;
    item.next = undefined;
    if (this.#first === undefined) this[Symbol.dispose]();
  }

  /** Expires nothing until something is added. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #expire(): void {
    const now = this.#clock.monotonic();
    for (let item = this.#first; item !== undefined && item.dueAt <= now; item = this.#first) {
      this.remove(item);
      item.expire(now);
    }
    this[Symbol.dispose]();
    this.#setTimer(now);
  }

  #setTimer(now: number): void {
    const first = this.#first;
    if (first !== undefined) this.#timer ??= this.#clock.after(first.dueAt - now, () => this.#expire());
  }
}
