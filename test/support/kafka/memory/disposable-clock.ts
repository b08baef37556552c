import type { Clock } from '../../../../src/lib/clock.ts';

/** Returns the same clock with an end. Disposing it cancels what it has not run yet. */
export function disposableClock(clock: Clock): Clock & Disposable {
  const timers = new Set<Disposable>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(ms, run) {
      const timer = clock.after(ms, () => {
        timers.delete(timer);
        run();
      });
      timers.add(timer);
      return {
        [Symbol.dispose]() {
          timers.delete(timer);
          timer[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
      timers.clear();
    },
  };
}
