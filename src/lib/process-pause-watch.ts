import type { Clock } from './clock.ts';

interface ProcessPauseWatchOptions {
  readonly clock: Clock;
  /** A standstill that may have lasted so long is told. */
  readonly longestMs: number;
  /** Gets how long it lasted at most. */
  readonly paused: (ms: number) => void;
}

/** The process did nothing until its session may have ended: it was suspended, or its event loop was blocked. */
export class ProcessPausedError extends Error {
  override readonly name = 'ProcessPausedError';

  constructor(ms: number) {
    super(`this process stood still for ${Math.round(ms / 1000)} s, so its session may be over`);
  }
}

const lookEveryMs = 500;

/** Tells once that this process did nothing for long: it was suspended, or its event loop was blocked. */
export function watchProcessPauses({ clock, longestMs, paused: stoodStill }: ProcessPauseWatchOptions): Disposable {
  let timer: Disposable | undefined;
  const look = (since: number): void => {
    timer = clock.after(lookEveryMs, () => {
      const now = clock.now();
      const ms = now - since;
      if (ms >= longestMs) stoodStill(ms);
      else look(now);
    });
  };
  look(clock.now());
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}
