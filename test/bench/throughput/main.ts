/**
 * `npm run bench [-- OPTIONS]`: what a delivery costs. A complete run at full scale writes the page. It is started with V8's
 * options of the benchmark of isolation, for the same reason.
 */
import { join } from 'node:path';
import { root } from '../../support/files/sources.ts';
import { writeSection } from '../../support/pages/write-section.ts';
import { readBaseline, recordBaseline } from './baseline.ts';
import { readCircumstances } from '../conditions.ts';
import { checkOut } from './compare/revision.ts';
import { versus } from './compare/with-revision.ts';
import { makeRoom } from '../pinned-process.ts';
import { isComplete, readOptions, usage, type Options } from './options.ts';
import { runProfiled } from './profile/run-profiled.ts';
import { describeShares } from './profile/table.ts';
import { complaintsAbout, ratiosOf } from './results/check.ts';
import { describeDifferences } from './results/differences-table.ts';
import { describe } from './results/table.ts';
import { runRounds, type Result } from './rounds.ts';
import { full, short, type Scale } from './scale.ts';
import { scenarios } from './scenarios.ts';
import { openStage } from './environment.ts';
import { writePage } from './write-page.ts';

/** Scenarios that the page has a profile of. */
const explained = ['one-host', 'host-per-owner-50', 'partitions', 'cold', 'steady', 'idle', 'configurations'];
const here = scenarios(join(root, 'src', 'main.ts'));

// What is left of Kafka's clients would keep the process.
process.exit(await main());

/** 0: measured; 1: measured, and dearer than the baseline allows; 2: told something wrong. */
async function main(): Promise<number> {
  const options = understand(process.argv.slice(2));
  if (options === undefined) return 2;
  const scale = options.short ? short : full;
  makeRoom();
  if (options.profile) return profile(options, scale);
  const results = await measure(options, scale);
  say(describe(results));
  if (options.compare !== undefined) say(`\n${describeDifferences(results, options.compare)}`);
  if (isComplete(options)) {
    const [docs, circumstances] = [join(root, 'docs'), readCircumstances()];
    await writePage(results, { docs, circumstances, rounds: scale.rounds });
  }
  if (options.baseline === 'record') recordBaseline(ratiosOf(results));
  return options.baseline !== 'check' || isAsCheap(results) || (await isAsCheapAfterAll(options, scale)) ? 0 : 1;
}

async function profile(options: Options, scale: Scale): Promise<number> {
  const chosen = options.only.length === 0 ? explained : options.only;
  const shares = await runProfiled(
    here.filter(({ name }) => chosen.includes(name)),
    scale,
    say,
  );
  const text = describeShares(shares);
  say(text);
  const page = join(root, 'docs', 'performance.md');
  if (isComplete(options)) await writeSection(page, { name: 'profile', text });
  return 0;
}

async function measure({ only, compare }: Options, scale: Scale): Promise<readonly Result[]> {
  await using stack = new AsyncDisposableStack();
  const other = compare === undefined ? undefined : stack.use(await checkOut(compare));
  const all = other === undefined ? here : versus(here, { others: scenarios(other.program), ref: compare ?? '' });
  const results: Result[] = [];
  for (const scenario of all.filter(({ name }) => only.length === 0 || only.includes(name))) {
    await using stage = await openStage(say);
    results.push(await runRounds(scenario, stage, scale, say));
  }
  return results;
}

/** A machine may have been busy with something else for one of the two. */
async function isAsCheapAfterAll(options: Options, scale: Scale): Promise<boolean> {
  say('\nIt is measured once more, to tell it from noise.');
  return isAsCheap(await measure(options, scale));
}

function isAsCheap(results: readonly Result[]): boolean {
  const complaints = complaintsAbout(ratiosOf(results), { baseline: readBaseline() });
  for (const complaint of complaints) say(`\n${complaint}`);
  return complaints.length === 0;
}

function understand(parameters: readonly string[]): Options | undefined {
  try {
    return readOptions(parameters, { scenarios: here.map(({ name }) => name) });
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
