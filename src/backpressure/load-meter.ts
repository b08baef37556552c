import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Load } from './throttle.ts';

export interface LoadMeter extends Disposable {
  /** Returns the load since the last call. */
  read(): Load;
}

/** Interval of the samples in ms. The median over a second is then of up to 50 samples. */
const resolutionMs = 20;

export function openLoadMeter(): LoadMeter {
  // A sample is the time between two turns of a timer, so the timer's interval is subtracted.
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return {
    read: () => {
      const delayMs = Math.max(0, delays.percentile(50) / 1e6 - resolutionMs);
      delays.reset();
      return { delayMs, memory: Math.max(heapInUse(), memoryInUse()) };
    },
    [Symbol.dispose]: () => void delays.disable(),
  };
}

function heapInUse(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}

/** The part of the container's memory limit in use. Without a limit, Node reports 0, or more than any machine has. */
function memoryInUse(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? process.memoryUsage.rss() / limit : 0;
}
