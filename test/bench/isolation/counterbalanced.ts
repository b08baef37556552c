import type { Run } from './experiment.ts';

/** What one round has: runs of the same load without the trouble, and with it. */
export interface RunsOfRound {
  readonly without: readonly Run[];
  readonly having: readonly Run[];
}

type Which = keyof RunsOfRound;

/**
 * One round: both are measured twice, in an order that reads the same from its end. A machine that gets slower, or faster,
 * does so for both.
 */
export async function mirrored(round: number, measure: (which: Which) => Promise<Run>): Promise<RunsOfRound> {
  const half: readonly Which[] = round % 2 === 0 ? ['without', 'having'] : ['having', 'without'];
  const runs: Record<Which, Run[]> = { without: [], having: [] };
  for (const which of [...half, ...half.toReversed()]) runs[which].push(await measure(which));
  return runs;
}
