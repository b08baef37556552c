import type { MonotonicClock } from './clock.ts';

/** Waits for the promise, but at most `ms`. Resolves to true when it resolved in time, and rejects when it rejects. */
export async function within(clock: MonotonicClock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: Disposable | undefined;
  const late = new Promise<false>((resolve) => {
    timer = clock.after(ms, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
