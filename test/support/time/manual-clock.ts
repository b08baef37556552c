import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/lib/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly run: () => void;
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now: number = Date.UTC(2026, 10, 21, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { dueAt: this.#now + Math.max(ms, 0), run };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** How many timers are still to run: zero once all that was started is over. */
  get pending(): number {
    return this.#timers.size;
  }

  /**
   * Moves on by `ms` and runs what falls due, each at its own time, in order. Before each timer and at the end the event
   * loop turns once, so that promises settle, and what they start in that time still takes part.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await setImmediate();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = timer.dueAt;
      timer.run();
      await setImmediate();
    }
    this.#now = end;
  }

  /** Of those due by then the earliest, and of equal ones the one started first. */
  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.dueAt <= end);
    return due.toSorted((one, other) => one.dueAt - other.dueAt)[0];
  }
}
