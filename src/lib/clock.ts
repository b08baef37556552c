/** The time in epoch milliseconds, and timers. Tests pass a clock that they advance themselves. */
export interface Clock {
  now(): number;
  /** Runs `run` once, not before `ms` have passed and never in this turn of the event loop. Disposing cancels it. */
  after(ms: number, run: () => void): Disposable;
}

/** The longest timeout of Node. Longer ones fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    // A timeout takes at least a whole millisecond, an immediate does not.
    if (ms <= 0) {
      const immediate = setImmediate(run);
      return { [Symbol.dispose]: () => clearImmediate(immediate) };
    }
    const timer = setTimeout(run, Math.min(ms, longestTimeoutMs));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`, or as soon as the signal is aborted. The caller checks the signal to distinguish them. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      timer[Symbol.dispose]();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = clock.after(ms, wake);
    signal?.addEventListener('abort', wake);
  });
}
