import type { Clock } from '../../../src/lib/clock.ts';
import { TimerHeap, type Timer } from './timer-heap.ts';

/**
 * The clock of a simulated run. Time passes only inside `advance`, in steps from one timer to the next.
 *
 * `advance(ms)` repeats these steps until no timer is due within `ms`:
 *
 * 1. It takes the timer that is due first. Timers of the same time are taken in the order of their creation.
 * 2. It sets the time to the timer's due time and runs the timer.
 * 3. It waits until all promises that the timer resolved have settled.
 *
 * Step 3 keeps runs reproducible. Without it, code after an `await` would run at the time of a later timer.
 * The order of events would then depend on Node.
 *
 * All brokers, endpoints and processes of a run share one clock; a process reads it through its `ProcessClock`. A timer
 * never runs early, and never after its disposal. Callers await each `advance` before the next one.
 */
export class SimulatedClock implements Clock {
  readonly #timers = new TimerHeap();
  #now: number;
  #started = 0;

  constructor(now: number = Date.UTC(2026, 10, 21, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Equals the wall time, which only the clocks of processes set back or forward. */
  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    this.#started += 1;
    const timer: Timer = { dueAt: this.#now + Math.max(0, ms), order: this.#started, run, isCancelled: false };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        timer.isCancelled = true;
      },
    };
  }

  /** Moves time forward by `ms` and runs the timers that are due in that time, including new ones. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await nextTurn();
    for (let timer = this.#timers.shift(end); timer !== undefined; timer = this.#timers.shift(end)) {
      if (timer.isCancelled) continue;
      this.#now = timer.dueAt;
      timer.run();
      await nextTurn();
    }
    this.#now = end;
  }
}

/** Resolves in the next turn of the event loop. Node settles all pending promises before it. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
