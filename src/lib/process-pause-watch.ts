import type { MonotonicClock } from './clock.ts';

interface ProcessPauseWatchOptions {
  readonly clock: MonotonicClock;
  /** Pauses that may have lasted this long are reported. */
  readonly longestMs: number;
  /** Called with the longest possible duration of the pause. */
  readonly paused: (ms: number) => void;
}

/** The process was suspended, or its event loop was blocked, for so long that its session may have expired. */
export class ProcessPausedError extends Error {
  override readonly name = 'ProcessPausedError';

  constructor(ms: number) {
    super(`this process was paused for ${Math.round(ms / 1000)} s, so its session may be over`);
  }
}

/** Two checks a second are frequent enough, because a session lasts seconds. */
const checkEveryMs = 500;

/** Reports once when this process was suspended or its event loop was blocked for `longestMs`. Disposing stops it. */
export function watchProcessPauses({ clock, longestMs, paused }: ProcessPauseWatchOptions): Disposable {
  let timer: Disposable | undefined;
  const check = (since: number): void => {
    timer = clock.after(checkEveryMs, () => {
      const now = clock.monotonic();
      const ms = now - since;
      if (ms >= longestMs) paused(ms);
      else check(now);
    });
  };
  check(clock.monotonic());
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}
