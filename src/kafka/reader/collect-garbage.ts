import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects all garbage at once. V8 leaves large buffers in memory for tens of MiB, because they are outside of its heap. */
export function collectGarbage(): void {
  collect ??= createCollect();
  collect();
}

/** Returns the function `gc` of V8, which only contexts have that are created after the flag is set. */
function createCollect(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc !== 'function') throw new TypeError('V8 has no function gc');
  return () => void Reflect.apply(gc, undefined, []);
}
