import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Load } from './throttle.ts';

/** The load since it was last read. */
export interface LoadMeter extends Disposable {
  read(): Load;
}

const resolutionMs = 20;

export function openLoadMeter(): LoadMeter {
  // Each sample is the time between two turns of a timer, its interval included.
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

/** Of what the container may have; a limit that there is not is 0, or larger than any memory. */
function memoryInUse(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? process.memoryUsage.rss() / limit : 0;
}
