import type { Clock } from './clock.ts';
import { Queue } from './queue.ts';

/** The pause between two groups of callers. A retry may need a new connection, about 1 ms of work. */
const intervalMs = 4;
/** The share of waiting callers that pass per interval, at least one. Hundreds then pass within a second. */
const sharePerInterval = 1 / 64;

/**
 * Spreads callers that come together over time, so that their work does not block the event loop in one turn.
 * Fifty retries in one turn blocked the loop for 12 to 16 ms.
 */
export class Pacer {
  readonly #maxPerInterval: number;
  readonly #clock: Clock;
  readonly #waiting = new Queue<() => void>();
  #isIdle = true;

  constructor(maxPerInterval: number, clock: Clock) {
    this.#maxPerInterval = maxPerInterval;
    this.#clock = clock;
  }

  /** Returns undefined when the caller may pass at once. Otherwise resolves in the order of the calls. */
  pass(): Promise<void> | undefined {
    if (!this.#isIdle) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#startInterval();
    return undefined;
  }

  #startInterval(): void {
    this.#isIdle = false;
    this.#clock.after(intervalMs, () => this.#endInterval());
  }

  #endInterval(): void {
    this.#isIdle = this.#waiting.length === 0;
    if (this.#isIdle) return;
    this.#startInterval();
    const passing = Math.min(Math.ceil(this.#waiting.length * sharePerInterval), this.#maxPerInterval);
    for (let passed = 0; passed < passing; passed += 1) this.#waiting.shift()?.();
  }
}
