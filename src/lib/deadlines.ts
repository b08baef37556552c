import type { MonotonicClock } from './clock.ts';

/** Something that must end within a fixed time. */
export interface Expiring {
  /** Called once, if it was not removed in time. */
  expire(): void;
}

/** The place of an item in its list. Only the list changes it. */
export interface Deadline {
  readonly item: Expiring;
  readonly dueAt: number;
  isListed: boolean;
  previous: Deadline | undefined;
  next: Deadline | undefined;
}

/**
 * Ends what has not ended after a fixed time, with one timer for all of it, and none for nothing. A timer for each would cost
 * more memory than the request that it watches. As all have the same time, they are due in the order in which they were added.
 */
export class Deadlines {
  readonly #afterMs: number;
  readonly #clock: MonotonicClock;
  #first: Deadline | undefined;
  #last: Deadline | undefined;
  #timer: Disposable | undefined;

  constructor(afterMs: number, clock: MonotonicClock) {
    this.#afterMs = afterMs;
    this.#clock = clock;
  }

  add(item: Expiring): Deadline {
    const dueAt = this.#clock.monotonic() + this.#afterMs;
    const deadline: Deadline = { item, dueAt, isListed: true, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = deadline;
    else this.#last.next = deadline;
    this.#last = deadline;
    this.#timer ??= this.#clock.after(this.#afterMs, () => this.#expire());
    return deadline;
  }

  /** Removes an item that has ended. Does nothing if it has expired, or was removed before. */
  remove(deadline: Deadline): void {
    if (!deadline.isListed) return;
    deadline.isListed = false;
    const { previous, next } = deadline;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    // Else the last deadline of an idle connection would keep all later ones in memory, and what they watch.
    deadline.previous = undefined;
    deadline.next = undefined;
    if (this.#first === undefined) this.#stop();
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #expire(): void {
    const now = this.#clock.monotonic();
    while (this.#first !== undefined && this.#first.dueAt <= now) {
      const { item } = this.#first;
      this.remove(this.#first);
      item.expire();
    }
    // An item that expires may add another one, which sets the timer too late for those before it.
    this.#stop();
    const next = this.#first;
    if (next !== undefined) this.#timer = this.#clock.after(next.dueAt - now, () => this.#expire());
  }
}
