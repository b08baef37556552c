import { describe, expect, it } from 'vitest';
import { checkRun } from './checkers/check-run.ts';
import { mutants } from './mutants/mutants.ts';
import { generateScenario } from './scenario/generate-scenario.ts';
import { runScenario } from './run-scenario.ts';

/** Every mutant is found within this many runs. */
const maxRuns = 40;

describe('the checkers', () => {
  it.each(mutants)(
    'report a violation of $violates if $name',
    { timeout: 600_000 },
    async ({ violates, createMutation }) => {
      let found = false;
      for (let seed = 1; seed <= maxRuns && !found; seed += 1) {
        const violations = checkRun(await runScenario(generateScenario(seed), createMutation()));
        found = violations.some(({ invariant }) => invariant === violates);
      }
      expect(found).toBe(true);
    },
  );
});
