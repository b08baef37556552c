import type { Random } from '../random.ts';
import type { Action } from './scenario.ts';

/** Generates the starts, stops and faults of the service's processes. */
export function generateProcessActions(
  random: Random,
  { faultsEndAtMs, isGraceful }: ProcessActionOptions,
): readonly Action[] {
  return Array.from({ length: random.between(1, 6) }, () => {
    const anyTimeMs = random.between(1000, faultsEndAtMs);
    // Half of them are close together, as in a rolling restart.
    const together = Math.floor(anyTimeMs / 10_000) * 10_000 + random.between(0, 500);
    const atMs = random.chance(0.5) ? anyTimeMs : Math.min(together, faultsEndAtMs);
    return isGraceful ? generateStartOrStop(random, atMs) : generateProcessFault(random, atMs);
  });
}

const minuteMs = 60_000;

/**
 * Generates settings of wall clocks. They are longer than all waits of a run: a wait that follows the wall clock ends far
 * too late, or at once.
 */
export function generateClockActions(random: Random, faultsEndAtMs: number): readonly Action[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const ms = random.between(4, 10) * minuteMs * (random.chance(0.5) ? 1 : -1);
    return { kind: 'set_clock', atMs: random.between(0, faultsEndAtMs), which: random.between(0, 2), ms };
  });
}

interface ProcessActionOptions {
  readonly faultsEndAtMs: number;
  readonly isGraceful: boolean;
}

function generateStartOrStop(random: Random, atMs: number): Action {
  return random.chance(0.5) ? { kind: 'start', atMs } : { kind: 'stop', atMs, which: random.between(0, 2) };
}

function generateProcessFault(random: Random, atMs: number): Action {
  const which = random.between(0, 2);
  return random.weighted<Action>([
    [{ kind: 'start', atMs }, 4],
    [{ kind: 'stop', atMs, which }, 3],
    [{ kind: 'kill', atMs, which }, 3],
    [{ kind: 'stall', atMs, which, ms: random.between(500, 20_000) }, 2],
    [{ kind: 'crash', atMs, which, group: random.pick(['first', 'retry']), restart: random.chance(0.7) }, 1],
  ]);
}
