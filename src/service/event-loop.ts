import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Clock } from '../lib/clock.ts';

export interface EventLoopWatch extends Disposable {
  /** Whether the event loop had hardly a moment without work lately. */
  readonly isSaturated: boolean;
}

const lookEveryMs = 20;
const saturatedFrom = 0.9;

type Measure = (now?: EventLoopUtilization, seen?: EventLoopUtilization) => EventLoopUtilization;

export function watchEventLoop(
  clock: Clock,
  measure: Measure = (now, seen) => performance.eventLoopUtilization(now, seen),
): EventLoopWatch {
  let isSaturated = false;
  let seen = measure();
  const look = (): void => {
    const now = measure();
    isSaturated = measure(now, seen).utilization >= saturatedFrom;
    seen = now;
    timer = clock.after(lookEveryMs, look);
  };
  let timer = clock.after(lookEveryMs, look);
  return {
    get isSaturated() {
      return isSaturated;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
