import type { MonotonicClock } from '../lib/clock.ts';

export interface Component {
  /** The name for people. */
  readonly name: string;
  /** Returns the monotonic time of its last activity. A failed try counts, too. */
  lastActivityAt(): number;
}

/**
 * Time in ms without activity until a component is stalled. Longer than any wait of its client during an outage of Kafka: one
 * write has up to 36 connections that time out and pauses of 84 s between them, over the retries of kafkajs. One step of a
 * follower may try each broker of the cluster, for 6 s each, and then the configured addresses for 88 s.
 */
const maxInactivityMs = { readers: 120_000, followers: 600_000, writers: 600_000 } as const;

/**
 * Finds components that have stopped without an error, such as a consumer or a producer whose client waits forever. Owns the
 * list of watched components. Each component keeps the time of its own last activity.
 *
 * `startService` gives it the reader of each group, the follower of the configurations topic and the writer of each topic. The
 * status page shows a stalled component, and `/livez` answers 503 with its name until its next activity.
 *
 * Promises:
 * - Failed tries count as activity. An outage of Kafka does not restart the process, because a restart would not help.
 * - The start may wait for Kafka without a limit. Nothing is watched until the readers have started.
 * - A blocked event loop needs no check here. It leaves `/livez` unanswered, and the probe times out.
 */
export class Liveness {
  readonly #clock: MonotonicClock;
  #watched: readonly { readonly component: Component; readonly maxMs: number }[] = [];

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  watch(components: Readonly<Record<keyof typeof maxInactivityMs, readonly Component[]>>): void {
    const of = (kind: keyof typeof maxInactivityMs) =>
      components[kind].map((component) => ({ component, maxMs: maxInactivityMs[kind] }));
    this.#watched = [...of('readers'), ...of('followers'), ...of('writers')];
  }

  /** Describes each stalled component. Empty means that all are active. */
  stalled(): readonly string[] {
    const now = this.#clock.monotonic();
    return this.#watched
      .filter(({ component, maxMs }) => now - component.lastActivityAt() > maxMs)
      .map(({ component: { name }, maxMs }) => `${name} has done nothing for ${maxMs / 1000} s`);
  }
}
