import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes of heap in use after garbage collection. */
export async function settledHeapBytes(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Returns the bytes of heap and of buffers in use after garbage collection. */
export async function settledMemoryBytes(): Promise<number> {
  const heapBytes = await settledHeapBytes();
  return heapBytes + process.memoryUsage().arrayBuffers;
}

/** Counts the objects that something still refers to. */
export async function countReachable(objects: readonly WeakRef<object>[]): Promise<number> {
  await collectGarbage();
  return objects.filter((object) => object.deref() !== undefined).length;
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This Node does not expose garbage collection.');
  for (let round = 0; round < 3; round += 1) {
    await setImmediate();
    Reflect.apply(collect, undefined, []);
  }
}

/** Returns the heap bytes per object when `make` creates and keeps `count` objects. */
export async function bytesPer(count: number, make: () => void): Promise<number> {
  const before = await settledHeapBytes();
  make();
  return ((await settledHeapBytes()) - before) / count;
}
