import type { Clock } from '../../src/lib/clock.ts';

/** A clock that advances only from one poll of the files to the next. */
export class PollClock implements Clock {
  #monotonic = 0;
  #run: (() => void) | undefined;
  #waits = Promise.withResolvers<void>();

  /** Runs when the time is read, which happens between a scan of the files and the reading of their content. */
  beforeReading = (): void => {};

  now(): number {
    return this.monotonic();
  }

  monotonic(): number {
    this.beforeReading();
    return this.#monotonic;
  }

  after(ms: number, run: () => void): Disposable {
    this.#run = () => {
      this.#monotonic += ms;
      run();
    };
    this.#waits.resolve();
    return { [Symbol.dispose]: () => (this.#run = undefined) };
  }

  /** Lets the files be polled this many times, and waits for the end of each poll. */
  async poll(times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      this.#waits = Promise.withResolvers();
      this.#run?.();
      await this.#waits.promise;
    }
  }
}
