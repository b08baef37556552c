/**
 * `npm run bench [-- OPTIONS]` measures the cost of a delivery. A complete run at full scale writes
 * `docs/performance.md`.
 *
 * This process shares processors with the broker, which a long garbage collection here would delay. Hence npm starts it
 * with a small semi-space and one V8 thread, and its child processes inherit both.
 */
import { join } from 'node:path';
import { root } from '../../support/files/sources.ts';
import { readConditions } from '../conditions.ts';
import { reserveMeasuredCpu } from '../pinned-process.ts';
import { readBaseline, recordBaseline } from './baseline.ts';
import { describeDifferences } from './compare/differences.ts';
import { checkOutRevision } from './compare/revision.ts';
import { withRevision } from './compare/with-revision.ts';
import { complaintsAboutCounts, readCountsBaseline, recordCountsBaseline } from './counts/check.ts';
import { allPasses, ownPasses } from './counts/passes.ts';
import { runCounted, type CountedSystem } from './counts/run-counted.ts';
import { describeCounts } from './counts/table.ts';
import { startEnvironment } from './environment.ts';
import { isComplete, readOptions, usage, type Options } from './options.ts';
import { profilers } from './profile/profiler.ts';
import { runProfiled } from './profile/run-profiled.ts';
import { describeShares } from './profile/table.ts';
import { complaintsAbout, ratiosOf } from './results/check.ts';
import { figuresOf } from './results/figures.ts';
import { tablesOf } from './results/section.ts';
import { runRounds, type Result } from './rounds.ts';
import { full, short, type Scale } from './scale.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { writeFigures, writePage } from './write-page.ts';

/** Scenarios that `--profile` runs unless `--only` chooses others. */
const profiledByDefault = ['one-host', 'host-per-owner-50', 'partitions', 'cold', 'steady', 'idle', 'configurations'];
/** Scenarios that `--count` runs unless `--only` chooses others. */
const countedByDefault = ['one-host', 'fan-out', 'steady', 'idle'];
const again = '\nMeasuring again, in case this was noise.';
const own = scenarios(join(root, 'src', 'main.ts'));

// Kafka clients with open sockets would keep the process alive.
process.exit(await main());

/** Returns 0 on success, 1 if a delivery exceeds the baseline, and 2 for invalid options. */
async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) return 2;
  const scale = options.short ? short : full;
  reserveMeasuredCpu();
  return { measure, count, profile }[options.mode](options, scale);
}

async function measure(options: Options, scale: Scale): Promise<number> {
  const results = await runAll(options, scale);
  const figures = results.map(figuresOf);
  print(tablesOf(figures));
  if (options.compare !== undefined) print(`\n${describeDifferences(results, options.compare)}`);
  if (isComplete(options)) {
    const docs = join(root, 'docs');
    await writeFigures({ conditions: readConditions(), scenarios: figures }, docs);
    await writePage(docs);
  }
  if (options.baseline === 'record') recordBaseline(ratiosOf(results));
  return options.baseline !== 'check' || meetsBaseline(results) || (await meetsBaselineAgain(options, scale)) ? 0 : 1;
}

async function profile(options: Options, scale: Scale): Promise<number> {
  for (const profiler of profilers) {
    const shares = await runProfiled(chosen(options, profiledByDefault), { scale, profiler, print });
    print(describeShares(profiler.title, shares));
  }
  return 0;
}

async function count(options: Options, scale: Scale): Promise<number> {
  const run = async (): Promise<readonly CountedSystem[]> => {
    const passes = options.baseline === 'check' ? ownPasses : allPasses();
    return runCounted(chosen(options, countedByDefault), { scale, passes, print });
  };
  const counted = await run();
  print(describeCounts(counted));
  if (options.baseline === 'record') recordCountsBaseline(counted);
  if (options.baseline !== 'check' || meetsCountsBaseline(counted)) return 0;
  print(again);
  return meetsCountsBaseline(await run()) ? 0 : 1;
}

function meetsCountsBaseline(counted: readonly CountedSystem[]): boolean {
  return printed(complaintsAboutCounts(counted, { baseline: readCountsBaseline() }));
}

function chosen({ only }: Options, byDefault: readonly string[]): readonly Scenario[] {
  const named = only.length === 0 ? byDefault : only;
  return own.filter(({ name }) => named.includes(name));
}

async function runAll({ only, compare }: Options, scale: Scale): Promise<readonly Result[]> {
  await using stack = new AsyncDisposableStack();
  const revision = compare === undefined ? undefined : stack.use(await checkOutRevision(compare));
  const all =
    revision === undefined ? own : withRevision(own, { others: scenarios(revision.program), ref: compare ?? '' });
  const results: Result[] = [];
  for (const scenario of all.filter(({ name }) => only.length === 0 || only.includes(name))) {
    await using environment = await startEnvironment(print);
    results.push(await runRounds(scenario, environment, scale, print));
  }
  return results;
}

/** Measures a second time, because something else may have used the machine during the first one. */
async function meetsBaselineAgain(options: Options, scale: Scale): Promise<boolean> {
  print(again);
  return meetsBaseline(await runAll(options, scale));
}

function meetsBaseline(results: readonly Result[]): boolean {
  return printed(complaintsAbout(ratiosOf(results), { baseline: readBaseline() }));
}

/** Prints complaints. Returns true if there are none. */
function printed(complaints: readonly string[]): boolean {
  for (const complaint of complaints) print(`\n${complaint}`);
  return complaints.length === 0;
}

function parseOptions(parameters: readonly string[]): Options | undefined {
  try {
    return readOptions(parameters, { scenarios: own.map(({ name }) => name) });
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
