import type { Run } from './experiment.ts';

/** The runs of one round, under the same load without the fault and with it. */
export interface RoundRuns {
  readonly healthy: readonly Run[];
  readonly faulty: readonly Run[];
}

type Variant = keyof RoundRuns;

/**
 * Runs both variants twice, in an order such as A B B A. A machine that gets slower or faster during the round does so for
 * both.
 */
export async function runCounterbalanced(
  round: number,
  measure: (variant: Variant) => Promise<Run>,
): Promise<RoundRuns> {
  const half: readonly Variant[] = round % 2 === 0 ? ['healthy', 'faulty'] : ['faulty', 'healthy'];
  const runs: Record<Variant, Run[]> = { healthy: [], faulty: [] };
  for (const variant of [...half, ...half.toReversed()]) runs[variant].push(await measure(variant));
  return runs;
}
