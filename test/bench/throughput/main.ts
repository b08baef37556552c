/**
 * `npm run bench [-- OPTIONS]` counts and measures the cost of a delivery. Without options it writes `docs/performance.md`.
 *
 * This process shares processors with the broker, which a long garbage collection here would delay. Hence npm starts it
 * with a small semi-space and one V8 thread, and its child processes inherit both.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { root } from '../../support/files/sources.ts';
import { writeSection } from '../../../docs/generate/section.ts';
import { readConditions, figuresOf, ratiosOf, type Figures } from './results/figures.ts';
import { reserveMeasuredCpu } from '../pinned-process.ts';
import { complaintsAbout, countBaseline, ratioBaseline, recordBaseline } from './baseline.ts';
import { startEnvironment } from './environment.ts';
import { checkedCounts, countsTable, runCounted, type CountedSystem } from './counts/run-counted.ts';
import { sectionOf, tablesOf } from './results/section.ts';
import { runRounds, type Result } from './rounds.ts';
import { backlogScenarios } from './scenarios/backlog-scenarios.ts';
import { otherScenarios } from './scenarios/other-scenarios.ts';
import type { Scenario } from './scenarios/scenario.ts';

const { values: options } = parseArgs({
  options: {
    /** Names of scenarios. */
    only: { type: 'string', multiple: true, default: [] },
    /** Counts heap bytes, promises, timers and Kafka requests, and measures nothing. */
    count: { type: 'boolean', default: false },
    /** Ends with 1 if the CPU per delivery exceeds the baseline by more than a quarter, or a count by more than 5 %. */
    check: { type: 'boolean', default: false },
    /** Writes the baselines. */
    record: { type: 'boolean', default: false },
  },
});
const scenarios = chosen();

reserveMeasuredCpu();
// Something else may have used the machine during the first run. Kafka clients with open sockets would keep the process alive.
process.exit((await run()) || !options.check || (await run()) ? 0 : 1);

/** Prints tables. Returns true if our code costs what the baselines allow. */
async function run(): Promise<boolean> {
  const counted = await runCounted(scenarios, print);
  print(countsTable(counted));
  const results = options.count ? [] : await measure();
  const figures: Figures = { conditions: readConditions(), scenarios: results.map(figuresOf) };
  print(tablesOf(figures.scenarios));
  if (!options.count && options.only.length === 0) await writePage(figures, counted);
  const counts = [countBaseline, checkedCounts(counted)] as const;
  const compared = options.count ? [counts] : [counts, [ratioBaseline, ratiosOf(results)] as const];
  if (options.record) for (const [baseline, own] of compared) recordBaseline(baseline, own);
  if (!options.check) return true;
  const complaints = compared.flatMap(([baseline, own]) => complaintsAbout(baseline, own));
  for (const complaint of complaints) print(`\n${complaint}`);
  return complaints.length === 0;
}

async function measure(): Promise<readonly Result[]> {
  await using environment = await startEnvironment(print);
  const results: Result[] = [];
  for (const scenario of scenarios) results.push(await runRounds(environment, scenario, print));
  return results;
}

/** Returns the named scenarios, or all. */
function chosen(): readonly Scenario[] {
  const all = [...backlogScenarios(), ...otherScenarios()];
  const unknown = options.only.find((one) => all.every(({ name }) => name !== one));
  if (unknown !== undefined) throw new Error(`No scenario is ${unknown}, but ${all.map(({ name }) => name).join()}.`);
  return options.only.length === 0 ? all : all.filter(({ name }) => options.only.includes(name));
}

async function writePage(figures: Figures, counted: readonly CountedSystem[]): Promise<void> {
  const docs = join(root, 'docs');
  const file = join(docs, 'performance', 'throughput.json');
  await writeFile(file, await format(JSON.stringify(figures), { ...(await resolveConfig(file)), parser: 'json' }));
  const page = join(docs, 'performance.md');
  await writeSection(page, { name: 'counts', text: countsTable(counted) });
  await writeSection(page, { name: 'throughput', text: sectionOf(figures) });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
