import { sleep, type MonotonicClock } from './clock.ts';

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
