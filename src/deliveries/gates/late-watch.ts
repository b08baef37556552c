import type { MonotonicClock } from '../../lib/clock.ts';
import { Queue } from '../../lib/queue.ts';

/** A request in flight, or a delivery that waits. */
export interface Watched {
  /** True once it has ended. */
  readonly isGone: boolean;
  /** Set by the watch. */
  lateAt: number;
  /** Called when it has not ended in time. Returns true to be watched for the same time again. */
  late(now: number): boolean;
}

/** Finds what has not ended after a fixed time, with one timer for everything that it watches. */
export class LateWatch implements Disposable {
  readonly #lateAfterMs: number;
  readonly #clock: MonotonicClock;
  readonly #queue = new Queue<Watched>();
  #timer: Disposable | undefined;

  constructor(lateAfterMs: number, clock: MonotonicClock) {
    this.#lateAfterMs = lateAfterMs;
    this.#clock = clock;
  }

  watch(watched: Watched, now: number): void {
    watched.lateAt = now + this.#lateAfterMs;
    // Drops those that have ended early, before their objects outlive a collection of young ones.
    while (this.#queue.peek()?.isGone === true) this.#queue.shift();
    this.#queue.push(watched);
    this.#setTimer(now);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #check(): void {
    const now = this.#clock.monotonic();
    for (let first = this.#queue.peek(); first !== undefined; first = this.#queue.peek()) {
      if (!first.isGone && first.lateAt > now) break;
      this.#queue.shift();
      if (!first.isGone && first.late(now)) this.watch(first, now);
    }
    this.#timer = undefined;
    this.#setTimer(now);
  }

  /** Sets the timer for the one that is late first, unless it is set. */
  #setTimer(now: number): void {
    const first = this.#queue.peek();
    if (first !== undefined) this.#timer ??= this.#clock.after(first.lateAt - now, () => this.#check());
  }
}
