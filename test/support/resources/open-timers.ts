import { createHook } from 'node:async_hooks';
import { getCallSites } from 'node:util';

/** Timers that are still to run and keep the process alive. */
export interface OpenTimers {
  /** Where each was started, as `file:line`. */
  readonly startedAt: readonly string[];
}

/** What Node calls a `Timeout`. */
type Timer = Pick<NodeJS.Timeout, 'hasRef'>;

/**
 * Watches from now on. Node lists timers without saying whose they are, and the test runner has its own: those are told
 * apart by the code that starts them.
 */
export function watchTimers(): OpenTimers {
  const open = new Map<number, { readonly timer: Timer; readonly place: string }>();
  createHook({
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
    get startedAt() {
      return [...open.values()].filter(({ timer }) => timer.hasRef()).map(({ place }) => place);
    },
  };
}

/** The first caller that is neither Node nor this file. */
function callerOfTimers(): string {
  const site = getCallSites(12).find(
    ({ scriptName }) => !scriptName.startsWith('node:') && !scriptName.endsWith('test/support/resources/open-timers.ts'),
  );
  return site === undefined ? 'unknown' : `${site.scriptName}:${site.lineNumber}`;
}
