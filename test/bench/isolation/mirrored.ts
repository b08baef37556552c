import type { Run } from './experiment.ts';
import { together } from './measured.ts';
import type { MeasuredPair } from './table.ts';

type Which = keyof MeasuredPair;

/**
 * One round: both are measured twice, in an order that reads the same from its end. A machine that gets slower, or faster,
 * does so for both.
 */
export async function mirrored(round: number, measure: (which: Which) => Promise<Run>): Promise<MeasuredPair> {
  const half: readonly Which[] = round % 2 === 0 ? ['without', 'having'] : ['having', 'without'];
  const runs: Record<Which, Run[]> = { without: [], having: [] };
  for (const which of [...half, ...half.toReversed()]) runs[which].push(await measure(which));
  return { without: together(runs.without), having: together(runs.having) };
}
