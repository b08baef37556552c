import type { Clock } from '../../src/lib/clock.ts';

/** Time that passes only from one look at the files to the next. */
export class PollClock implements Clock {
  #now = 0;
  #run: (() => void) | undefined;
  #waits = Promise.withResolvers<void>();

  /** Runs when the time is asked for, which is after a look and before what was seen is read. */
  beforeReading = (): void => {};

  now(): number {
    this.beforeReading();
    return this.#now;
  }

  after(ms: number, run: () => void): Disposable {
    this.#run = () => {
      this.#now += ms;
      run();
    };
    this.#waits.resolve();
    return { [Symbol.dispose]: () => (this.#run = undefined) };
  }

  /** Lets the files be looked at so many times, each look with all that follows from it. */
  async look(times: number): Promise<void> {
    for (let look = 0; look < times; look += 1) {
      this.#waits = Promise.withResolvers();
      this.#run?.();
      await this.#waits.promise;
    }
  }
}
