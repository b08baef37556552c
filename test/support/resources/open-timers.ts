import { createHook } from 'node:async_hooks';
import { getCallSites } from 'node:util';

/** Timers that keep the process alive. */
interface OpenTimers extends Disposable {
  /** The place where each timer was started, as `file:line`. */
  readonly startedAt: readonly string[];
}

/** A `Timeout` of Node. */
type Timer = Pick<NodeJS.Timeout, 'hasRef'>;

/**
 * Watches all timers started after the call, until it is disposed of. Timers of the test runner are left out: they are
 * recognized by the file that starts them.
 */
export function watchTimers(): OpenTimers {
  const open = new Map<number, { readonly timer: Timer; readonly place: string }>();
  const hook = createHook({
    init(asyncId, type, _trigger, timer: Timer) {
      if (type !== 'Timeout') return;
      const place = callerOfTimers();
      if (!/node_modules\/(?:@vitest|vitest)\//.test(place)) open.set(asyncId, { timer, place });
    },
    destroy(asyncId) {
      open.delete(asyncId);
    },
  }).enable();
  return {
    [Symbol.dispose]: () => void hook.disable(),
    get startedAt() {
      return [...open.values()].filter(({ timer }) => timer.hasRef()).map(({ place }) => place);
    },
  };
}

/** Returns the first caller outside Node and this file. */
function callerOfTimers(): string {
  const site = getCallSites(12).find(
    ({ scriptName }) =>
      !scriptName.startsWith('node:') && !scriptName.endsWith('test/support/resources/open-timers.ts'),
  );
  return site === undefined ? 'unknown' : `${site.scriptName}:${site.lineNumber}`;
}
