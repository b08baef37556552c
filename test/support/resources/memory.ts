import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of heap in use once nothing is left to be collected. */
export async function settledHeapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This Node does not let its heap be collected.');
  for (let round = 0; round < 3; round += 1) {
    await setImmediate();
    Reflect.apply(collect, undefined, []);
  }
  return process.memoryUsage().heapUsed;
}

/** What one of so many things that are made, and kept, takes of the heap. */
export async function bytesPer(count: number, make: () => void): Promise<number> {
  const before = await settledHeapBytes();
  make();
  return ((await settledHeapBytes()) - before) / count;
}
