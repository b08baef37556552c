import { setTimeout } from 'node:timers/promises';

/** The time in ms after which a test that still waits is taken for hung. No test depends on it, however busy the machine. */
export const hungAfterMs = 240_000;

interface PollOptions {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Polls until the answer is true, and rejects once it is taken for hung. Use it only for changes in another process that sends no
 * event; otherwise wait for the event.
 */
export async function eventually(
  what: string,
  ask: () => Promise<boolean>,
  { withinMs = hungAfterMs, everyMs = 25 } = {},
): Promise<void> {
  if (!(await poll(ask, { withinMs, everyMs }))) throw new Error(`Not within ${withinMs} ms: ${what}.`);
}

/** Polls until the answer is true. Resolves to false after `withinMs`; rejects when the signal is aborted. */
export async function poll(
  ask: () => Promise<boolean>,
  { withinMs, everyMs, ...options }: PollOptions,
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (!(await ask())) {
    if (Date.now() > deadline) return false;
    await setTimeout(everyMs, undefined, options);
  }
  return true;
}
