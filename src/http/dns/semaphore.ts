import type { MonotonicClock } from '../../lib/clock.ts';

interface SemaphoreOptions {
  readonly limit: number;
  /** The time after which a permit is released, even if its holder is not done. */
  readonly longestMs: number;
  readonly clock: MonotonicClock;
}

/** Gives a limited number of permits, first come, first served. A permit is held for a limited time. */
export class Semaphore {
  readonly #limit: number;
  readonly #longestMs: number;
  readonly #clock: MonotonicClock;
  readonly #waiting: (() => void)[] = [];
  #acquired = 0;

  constructor({ limit, longestMs, clock }: SemaphoreOptions) {
    this.#limit = limit;
    this.#longestMs = longestMs;
    this.#clock = clock;
  }

  /** Resolves to a permit that the holder disposes. Disposing does nothing after `longestMs`. */
  async acquire(): Promise<Disposable> {
    if (this.#acquired < this.#limit) this.#acquired += 1;
    else await new Promise<void>((resume) => this.#waiting.push(resume));
    const permit = new DisposableStack();
    permit.defer(() => this.#release());
    permit.use(this.#clock.after(this.#longestMs, () => permit.dispose()));
    return permit;
  }

  /** Passes the permit to the next waiter, if there is one. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#acquired -= 1;
    else next();
  }
}
