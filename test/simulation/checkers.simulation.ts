import { describe, expect, it } from 'vitest';
import { judge } from './checkers/check-run.ts';
import { plantedBugs } from './mutants/mutants.ts';
import { inventPlot } from './scenario/generate-scenario.ts';
import { play } from './run-scenario.ts';

/** So many runs are enough to find each. */
const enoughRuns = 40;

describe('the judges', () => {
  it.each(plantedBugs)('notice by $breaks that $name', { timeout: 120_000 }, async ({ breaks, plant }) => {
    let found = false;
    for (let seed = 1; seed <= enoughRuns && !found; seed += 1) {
      const judgements = judge(await play(inventPlot(seed), plant()));
      found = judgements.some(({ invariant }) => invariant === breaks);
    }
    expect(found).toBe(true);
  });
});
