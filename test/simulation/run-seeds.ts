import { checkRun } from './checkers/check-run.ts';
import { generateScenario } from './scenario/generate-scenario.ts';
import { describeFailure } from './failure-report.ts';
import { runScenario } from './run-scenario.ts';

/** Stops after this many failures, which are enough to find the bug. */
const maxFailures = 3;

/** Runs and checks every `step`-th seed from `first` to below `end`. Prints a report for each seed that fails. */
async function runSeeds(first: number, end: number, step: number): Promise<void> {
  let failures = 0;
  for (let seed = first; seed < end && failures < maxFailures; seed += step) {
    const run = await runScenario(generateScenario(seed));
    const violations = checkRun(run);
    if (violations.length === 0) continue;
    failures += 1;
    process.stdout.write(`${describeFailure(run, violations)}\n\n`);
  }
}

const [first = 1, end = first + 1, step = 1] = process.argv.slice(2).map(Number);
await runSeeds(first, end, step);
