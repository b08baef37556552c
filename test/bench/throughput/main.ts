/** `npm run bench [-- --short] [--only SCENARIO]`: what a delivery costs. A complete run at full scale writes the page. */
import { startKafka } from '../../support/kafka/start-kafka.ts';
import { stepText } from '../../support/kafka/progress.ts';
import { makeRoom } from './contestants/pinned.ts';
import { readOptions } from './options.ts';
import { describe } from './results/table.ts';
import { runRounds, type Result } from './rounds.ts';
import { full, short } from './scale.ts';
import { scenarios } from './scenarios.ts';
import { openStage } from './stage.ts';

const options = readOptions(process.argv.slice(2));
const scale = options.short ? short : full;
const program = new URL('../../../src/main.ts', import.meta.url).pathname;
const chosen = scenarios(program).filter(({ name }) => options.only.length === 0 || options.only.includes(name));

makeRoom();
const results: Result[] = [];
{
  await using kafka = await startKafka({ progress: (step) => say(stepText[step]) });
  await using stage = await openStage(kafka);
  for (const scenario of chosen) results.push(await runRounds(scenario, stage, scale, say));
}
say(describe(results));
// What is left of Kafka's clients would keep the process.
process.exit();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
