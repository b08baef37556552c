import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/lib/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** A clock that only advances when a test calls `advance`. Its monotonic time starts at zero, as that of a new process. */
export class ManualClock implements Clock {
  #monotonic = 0;
  /** The wall time at monotonic zero. */
  #epoch: number;
  readonly #timers = new Set<Timer>();

  constructor(now: number = Date.UTC(2026, 10, 21, 12)) {
    this.#epoch = now;
  }

  now(): number {
    return this.#epoch + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Sets the wall clock forward, or back if `ms` is negative. No time passes. */
  jump(ms: number): void {
    this.#epoch += ms;
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { dueAt: this.#monotonic + Math.max(ms, 0), run };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** The number of timers that have not run. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Advances by `ms` and runs the due timers in order, each at its own time. Waits for one iteration of the event loop before
   * each timer and at the end, so that promises settle. Timers they start run too if they are due.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await setImmediate();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#monotonic = timer.dueAt;
      timer.run();
      await setImmediate();
    }
    this.#monotonic = end;
  }

  /** Returns the earliest timer due by `end`; among equal ones, the one started first. */
  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.dueAt <= end);
    return due.toSorted((one, other) => one.dueAt - other.dueAt)[0];
  }
}
