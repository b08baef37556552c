import { systemClock, type Clock } from '../../../src/lib/clock.ts';

const longMs = 10_000;

/** Twenty times as fast, and nobody waits long: nothing but time would pass. */
export const fastClock: Clock = {
  now: () => systemClock.now() * 20,
  after: (ms, run) => systemClock.after(ms >= longMs ? 50 : ms, run),
};

/** The same, but who waits long waits for the promise: what it stands for is not to happen in the middle of a try. */
export function clockUntil(promise: Promise<void>): Clock {
  return {
    now: () => fastClock.now(),
    after: (ms, run) => {
      if (ms < longMs) return fastClock.after(ms, run);
      void promise.then(run);
      return { [Symbol.dispose]: () => undefined };
    },
  };
}
