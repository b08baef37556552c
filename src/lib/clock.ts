/** Time as the service sees it: epoch milliseconds, and timers. Tests pass a clock they move by hand. */
export interface Clock {
  now(): number;
  /** Runs `run` once, `ms` from now at the earliest, never within this turn; disposing the timer before that calls it off. */
  after(ms: number, run: () => void): Disposable;
}

/** Node fires a longer timeout at once. */
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    // The shortest timeout is a whole millisecond.
    if (ms <= 0) {
      const immediate = setImmediate(run);
      return { [Symbol.dispose]: () => clearImmediate(immediate) };
    }
    const timer = setTimeout(run, Math.min(ms, longestTimeoutMs));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`, or as soon as the signal is aborted: the caller looks at the signal to tell which. */
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
