import type { Clock } from '../../../src/lib/clock.ts';

/** A clock whose time stands still. Each call of `turn` is one turn of the event loop. */
export class TurnClock implements Clock {
  #waiting = new Set<() => void>();

  now(): number {
    return 0;
  }

  monotonic(): number {
    return 0;
  }

  after(ms: number, run: () => void): Disposable {
    if (ms > 0) throw new Error('flow control waits for turns, and not for time');
    const once = (): void => run();
    this.#waiting.add(once);
    return { [Symbol.dispose]: () => void this.#waiting.delete(once) };
  }

  /** Runs what waits for the next turn. Returns false if nothing did. */
  turn(): boolean {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const run of waiting) run();
    return waiting.size > 0;
  }

  /** Runs turns until nothing waits for one. */
  turnUntilIdle(): void {
    let turns = 0;
    while (this.turn()) {
      turns += 1;
      if (turns > 10_000) throw new Error('something waits for the next turn again and again');
    }
  }
}
