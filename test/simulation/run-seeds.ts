import { judge } from './checkers/check-run.ts';
import { inventPlot } from './scenario/generate-scenario.ts';
import { tellStory } from './failure-report.ts';
import { play } from './run-scenario.ts';

/** So many stories are enough to go on with. */
const enough = 3;

/** Plays and judges the seeds from `first` to below `end`, one in `step`; writes the stories of those that went wrong. */
async function playSeeds(first: number, end: number, step: number): Promise<void> {
  let stories = 0;
  for (let seed = first; seed < end && stories < enough; seed += step) {
    const run = await play(inventPlot(seed));
    const judgements = judge(run);
    if (judgements.length === 0) continue;
    stories += 1;
    process.stdout.write(`${tellStory(run, judgements)}\n\n`);
  }
}

const [first = 1, end = first + 1, step = 1] = process.argv.slice(2).map(Number);
await playSeeds(first, end, step);
