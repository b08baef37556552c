import type { MonotonicClock } from '../lib/clock.ts';
import type { Gate } from './gate.ts';

/** Wakes gates whose next delivery waits for its time in the minute, or for the end of a pause. Owns one timer for each of them. */
export class StartTimers implements Disposable {
  readonly #clock: MonotonicClock;
  readonly #start: (gate: Gate) => void;
  /** The timers, each with the monotonic time at which it is due. */
  readonly #timers = new Map<Gate, { readonly at: number; readonly timer: Disposable }>();

  /** Calls `start` with a gate that has waiting deliveries, once it is ready for the next request. */
  constructor(clock: MonotonicClock, start: (gate: Gate) => void) {
    this.#clock = clock;
    this.#start = start;
  }

  /** Sets the timer of a gate that is not ready. A new limit may have moved its time, or ended it. */
  wakeInTime(gate: Gate, now: number): void {
    const set = this.#timers.get(gate);
    const at = gate.readyAt(now);
    if (set === undefined ? at <= now : set.at <= at) return;
    set?.timer[Symbol.dispose]();
    const timer = this.#clock.after(Math.ceil(at - now), () => {
      this.#timers.delete(gate);
      if (gate.waiting > 0) this.#start(gate);
    });
    this.#timers.set(gate, { at, timer });
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#timers.values()) timer[Symbol.dispose]();
  }
}
