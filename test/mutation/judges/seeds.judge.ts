import { expect, it } from 'vitest';
import { checkRun } from '../../simulation/checkers/check-run.ts';
import { describeFailure } from '../../simulation/failure-report.ts';
import { runScenario } from '../../simulation/run-scenario.ts';
import { generateScenario } from '../../simulation/scenario/generate-scenario.ts';

/** Seeds that judge a mutant. More would find more, and take longer for each survivor. */
const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

it.each(seeds)('the service keeps every invariant on a memory broker with seed %d', async (seed) => {
  const run = await runScenario(generateScenario(seed));
  const violations = checkRun(run);
  expect(violations.length === 0 ? '' : describeFailure(run, violations)).toBe('');
});
