/**
 * The time of day, for what leaves the process or comes from outside: record times, dates, certificates.
 * Somebody may set it back or forward at any moment.
 */
export interface WallClock {
  /** Returns epoch milliseconds. */
  now(): number;
}

/**
 * Measures durations, deadlines and ages inside the process. Setting the wall clock does not affect it. Code that takes only
 * this clock can't confuse the two times, because the compiler refuses `now`.
 */
export interface MonotonicClock {
  /** Returns milliseconds since an arbitrary start, with a fraction. Never goes back. */
  monotonic(): number;
  /** Runs `run` once, not before `ms` have passed and never in this turn of the event loop. Disposing cancels it. */
  after(ms: number, run: () => void): Disposable;
}

/** Both clocks. Tests pass one that they advance themselves. Only durations pass from one time to the other, never readings. */
export interface Clock extends WallClock, MonotonicClock {}

/** Returns the wall time at a reading of the monotonic clock, as the wall clock is set now. In whole milliseconds. */
export function wallTimeAt(clock: Pick<Clock, 'now' | 'monotonic'>, monotonic: number): number {
  return Math.round(clock.now() + monotonic - clock.monotonic());
}

/** Returns a function that tells by how many ms the wall clock was set forward since this call. Zero if it was set back. */
export function measureSetForward(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  const offsetMs = clock.now() - clock.monotonic();
  return () => Math.max(0, clock.now() - clock.monotonic() - offsetMs);
}

/** The longest timeout of Node. Longer ones fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  // Whole milliseconds would let a wait end up to 1 ms early by the wall clock.
  monotonic: () => performance.now(),
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
export function sleep(clock: MonotonicClock, ms: number, signal?: AbortSignal): Promise<void> {
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

/** Waits for the promise, but at most `ms`. Resolves to true when it resolved in time, and rejects when it rejects. */
export async function within(clock: MonotonicClock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  using _timer = clock.after(ms, () => resolve(false));
  return await Promise.race([promise.then(() => true), late]);
}

interface EveryOptions {
  /** The pause between the end of one call and the start of the next. Calls never overlap. */
  readonly ms: number;
  readonly clock: MonotonicClock;
  /** Stops the calls. One that is running is awaited. */
  readonly signal: AbortSignal;
  /** Makes the first call at once instead of after one interval. */
  readonly immediately?: boolean;
}

/**
 * Calls `look` at an interval until it returns a result or the signal is aborted.
 * Returns that result, or undefined after an abort. Rejects with what `look` throws.
 */
export async function every<Result>(
  { ms, clock, signal, immediately = false }: EveryOptions,
  look: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  if (!immediately) await sleep(clock, ms, signal);
  while (!signal.aborted) {
    const result = await look();
    if (result !== undefined) return result;
    await sleep(clock, ms, signal);
  }
  return undefined;
}
