import { setTimeout } from 'node:timers/promises';

/**
 * Asks until the answer is true, and rejects when that takes too long. For what another process does and announces to
 * nobody; where there is an event to wait for, wait for the event.
 */
export async function eventually(
  what: string,
  ask: () => Promise<boolean>,
  { withinMs = 60_000, everyMs = 25 } = {},
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await setTimeout(everyMs);
  }
}
