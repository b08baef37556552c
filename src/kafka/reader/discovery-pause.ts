import type { MonotonicClock } from '../../lib/clock.ts';

export interface Fault {
  readonly error: unknown;
}

/** Interval in ms of looking for new partitions and for a recreated topic. */
const discoveryEveryMs = 1_000;

/** The pause between two discoveries of a topic. It ends with the first fault, or when the next discovery is due. */
export class DiscoveryPause {
  readonly #clock: MonotonicClock;
  #ended = Promise.withResolvers<Fault | undefined>();
  #dueAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** The monotonic time at which the last discovery began. */
  discoveryAt = 0;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** Forgets the faults before this call. A discovery begins, which handles them. */
  reset(): void {
    this.discoveryAt = this.#clock.monotonic();
    this.#ended = Promise.withResolvers();
    if (this.#isClosed) this.#ended.resolve(undefined);
  }

  /** Resolves to the first fault since the reset. Resolves to undefined if there is none in time. */
  async wait(): Promise<Fault | undefined> {
    const { promise, resolve } = this.#ended;
    if (this.#isClosed) return undefined;
    this.#dueAt = this.#clock.monotonic() + discoveryEveryMs;
    using _timer = this.#clock.after(discoveryEveryMs, () => resolve(undefined));
    return await promise;
  }

  /** Ends the pause: with a fault, or because there is something to discover. */
  end(fault?: Fault): void {
    this.#ended.resolve(fault);
  }

  /** Ends this pause and all later ones. */
  close(): void {
    this.#isClosed = true;
    this.#ended.resolve(undefined);
  }

  /**
   * Returns the time in ms for which a fetch may wait now. A broker handles the requests of a connection one after the
   * other. What a discovery starts to read would thus wait for a fetch that lasts longer.
   */
  fetchWaitMs(): number {
    const untilDueMs = this.#dueAt - this.#clock.monotonic();
    return untilDueMs > 0 ? untilDueMs : discoveryEveryMs;
  }
}
