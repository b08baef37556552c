import { checkRun } from './checkers/check-run.ts';
import { generateScenario } from './scenario/generate-scenario.ts';
import { describeFailure } from './failure-report.ts';
import { runScenario } from './run-scenario.ts';

/** So many stories are enough to go on with. */
const enough = 3;

/** Plays and checkers the seeds from `first` to below `end`, one in `step`; writes the stories of those that went wrong. */
async function runSeeds(first: number, end: number, step: number): Promise<void> {
  let stories = 0;
  for (let seed = first; seed < end && stories < enough; seed += step) {
    const run = await runScenario(generateScenario(seed));
    const violations = checkRun(run);
    if (violations.length === 0) continue;
    stories += 1;
    process.stdout.write(`${describeFailure(run, violations)}\n\n`);
  }
}

const [first = 1, end = first + 1, step = 1] = process.argv.slice(2).map(Number);
await runSeeds(first, end, step);
