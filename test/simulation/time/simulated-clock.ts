import type { Clock } from '../../../src/lib/clock.ts';
import { TimerHeap, type Timer } from './timer-heap.ts';

/** Time that moves only while it is run: from one timer to the next, as fast as they can be run. */
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

  after(ms: number, run: () => void): Disposable {
    this.#started += 1;
    const timer: Timer = { dueAt: this.#now + Math.max(0, ms), order: this.#started, run, isOff: false };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        timer.isOff = true;
      },
    };
  }

  /** Runs what falls due in that time, each timer at its own; what it starts and promises settles before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let timer = this.#timers.shift(end); timer !== undefined; timer = this.#timers.shift(end)) {
      if (timer.isOff) continue;
      this.#now = timer.dueAt;
      timer.run();
      await turn();
    }
    this.#now = end;
  }
}

/** Node settles all promises that can be before it turns to the next callback. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
