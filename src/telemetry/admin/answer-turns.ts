import { sleep, type MonotonicClock } from '../../lib/clock.ts';

/** The rest after a turn, as a multiple of its duration. Answers then take a fifth of the processor at most. */
const restPerTurn = 4;

/**
 * Gives one turn at a time, first come, first served, with a rest in between. Rendering metrics takes some 10 ms for a
 * thousand partitions. Without a rest, a client that asks again and again would take the processor from deliveries.
 */
export class AnswerTurns {
  readonly #clock: MonotonicClock;
  #last: Promise<void> = Promise.resolve();
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      const restMs = this.#restUntil - this.#clock.monotonic();
      if (restMs > 0) await sleep(this.#clock, restMs);
      return await this.#run(work);
    } finally {
      finish();
    }
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      const now = this.#clock.monotonic();
      this.#restUntil = now + restPerTurn * (now - startedAt);
    }
  }
}
