import type { Clock } from '../lib/clock.ts';

interface Component {
  readonly name: string;
  /** Epoch milliseconds of the last thing it did, trying again included. */
  readonly lastActivityAt: () => number;
}

/** Longer than a client waits for anything, an outage of all brokers included. */
const maxInactivityMs = 120_000;

/** Whether every part still does something. That it can answer at all shows that the event loop does. */
export class Liveness {
  readonly #clock: Clock;
  readonly #parts: Component[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(part: Component): void {
    this.#parts.push(part);
  }

  /** Empty while all goes well. */
  stalled(): readonly string[] {
    const now = this.#clock.now();
    return this.#parts
      .filter(({ lastActivityAt: lastSignAt }) => now - lastSignAt() > maxInactivityMs)
      .map(({ name }) => `${name} has done nothing for ${maxInactivityMs / 1000} s`);
  }
}
