/**
 * `npm run bench [-- OPTIONS]` measures the cost of a delivery. A complete run at full scale writes
 * `docs/performance.md`.
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
import { passes } from './counts/passes.ts';
import { checkedCounts, describeCounts, runCounted } from './counts/run-counted.ts';
import { sectionOf, tablesOf } from './results/section.ts';
import { runRounds, type Result } from './rounds.ts';
import { full, short } from './scale.ts';
import { backlogScenarios } from './scenarios/backlog-scenarios.ts';
import { otherScenarios } from './scenarios/other-scenarios.ts';

/** Scenarios that `--count` runs unless `--only` chooses others. */
const countedByDefault = ['one-host', 'fan-out', 'steady', 'idle'];

const { values: options } = parseArgs({
  options: {
    /** Fewer rounds, with fewer deliveries. */
    short: { type: 'boolean', default: false },
    /** Names of scenarios. */
    only: { type: 'string', multiple: true, default: [] },
    /** Counts heap bytes, promises, timers and Kafka requests per delivery. */
    count: { type: 'boolean', default: false },
    /** Ends with 1 if the CPU per delivery exceeds the baseline by more than a quarter, or a count by more than 5 %. */
    check: { type: 'boolean', default: false },
    /** Writes the baseline. */
    record: { type: 'boolean', default: false },
  },
});
const scale = options.short ? short : full;
const baseline = options.count ? countBaseline : ratioBaseline;

reserveMeasuredCpu();
const figures = await run();
if (options.record) recordBaseline(baseline, figures);
// Something else may have used the machine during the first run. Kafka clients with open sockets would keep the process alive.
process.exit(!options.check || isMet(figures) || isMet(await run()) ? 0 : 1);

/** Prints tables. Returns the figures that have a baseline. */
async function run(): Promise<Readonly<Record<string, number>>> {
  return options.count ? count() : measure();
}

async function measure(): Promise<Readonly<Record<string, number>>> {
  const results: Result[] = [];
  for (const scenario of chosen([])) results.push(await runRounds(scenario, scale, print));
  const scenarios = results.map(figuresOf);
  print(tablesOf(scenarios));
  if (!options.short && options.only.length === 0) await writePage({ conditions: readConditions(), scenarios });
  return ratiosOf(results);
}

async function count(): Promise<Readonly<Record<string, number>>> {
  const counted = await runCounted(chosen(countedByDefault), { scale, passes, print });
  print(describeCounts(counted));
  return checkedCounts(counted);
}

/** Returns the named scenarios. Without names it returns those by default, or else all. */
function chosen(byDefault: readonly string[]) {
  const named = options.only.length === 0 ? byDefault : options.only;
  const all = [...backlogScenarios(), ...otherScenarios()];
  const unknown = named.find((one) => all.every(({ name }) => name !== one));
  if (unknown !== undefined) throw new Error(`No scenario is ${unknown}, but ${all.map(({ name }) => name).join()}.`);
  return named.length === 0 ? all : all.filter(({ name }) => named.includes(name));
}

async function writePage(all: Figures): Promise<void> {
  const docs = join(root, 'docs');
  const file = join(docs, 'performance', 'throughput.json');
  await writeFile(file, await format(JSON.stringify(all), { ...(await resolveConfig(file)), parser: 'json' }));
  await writeSection(join(docs, 'performance.md'), { name: 'throughput', text: sectionOf(all) });
}

/** Prints complaints. Returns true if there are none. */
function isMet(found: Readonly<Record<string, number>>): boolean {
  const complaints = complaintsAbout(baseline, found);
  for (const complaint of complaints) print(`\n${complaint}`);
  return complaints.length === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
