import { systemClock, type Clock } from '../../../src/lib/clock.ts';

const longMs = 10_000;

/** Runs 20 times as fast, and shortens waits of 10 s or more to 50 ms. */
export const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 20,
  after: (ms, run) => systemClock.after(ms >= longMs ? 50 : ms, run),
};

/** Returns a fast clock whose waits of 10 s or more end with the promise. What it stands for then happens between tries. */
export function clockUntil(promise: Promise<void>): Clock {
  return {
    now: () => systemClock.now(),
    monotonic: () => fastClock.monotonic(),
    after: (ms, run) => {
      if (ms < longMs) return fastClock.after(ms, run);
      void promise.then(run);
      return { [Symbol.dispose]: () => undefined };
    },
  };
}
