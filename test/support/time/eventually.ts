import { setTimeout } from 'node:timers/promises';

interface PollOptions {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Polls until the answer is true, and rejects after `withinMs`. Use it only for changes in another process that sends no
 * event; otherwise wait for the event.
 */
export async function eventually(
  what: string,
  ask: () => Promise<boolean>,
  { withinMs = 60_000, everyMs = 25 } = {},
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
