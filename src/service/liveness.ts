import type { MonotonicClock } from '../lib/clock.ts';

interface Component {
  readonly name: string;
  /** Returns the monotonic time of its last activity. A failed try counts, too. */
  readonly lastActivityAt: () => number;
}

/** Time in ms without activity until a component is stalled. Longer than any wait of a client during an outage of Kafka. */
const maxInactivityMs = 120_000;

/**
 * Finds components that have stopped without an error, such as a consumer whose client waits forever. Owns the list of
 * watched components. Each component keeps the time of its own last activity.
 *
 * `startService` adds the reader of each group. The status page shows a stalled component, and `/livez` answers 503 with its
 * name until its next activity.
 *
 * Promises:
 * - Failed tries count as activity. An outage of Kafka does not restart the process, because a restart would not help.
 * - The start may wait for Kafka without a limit. Nothing is watched until the readers have started.
 * - A blocked event loop needs no check here. It leaves `/livez` unanswered, and the probe times out.
 */
export class Liveness {
  readonly #clock: MonotonicClock;
  readonly #components: Component[] = [];

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  watch(component: Component): void {
    this.#components.push(component);
  }

  /** Describes each stalled component. Empty means that all are active. */
  stalled(): readonly string[] {
    const now = this.#clock.monotonic();
    return this.#components
      .filter(({ lastActivityAt }) => now - lastActivityAt() > maxInactivityMs)
      .map(({ name }) => `${name} has done nothing for ${maxInactivityMs / 1000} s`);
  }
}
