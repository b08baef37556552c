import { dirname } from 'node:path';
import { readText } from '../support/files/sources.ts';
import type { CoveredFile, CoveredTest, RegionsByPath } from './coverage.ts';
import type { Mutant } from './mutants.ts';
import { instrument, regionAt } from './regions.ts';
import { applyEdits } from './syntax-tree.ts';
import type { Selection, WarmVitest } from './warm-vitest.ts';

/** The end of a mutant. One that survives, or that no test runs, shows what the tests do not notice. */
export type Verdict = 'killed' | 'timed out' | 'survived' | 'not covered';

/** A mutant and its end. */
export interface JudgedMutant {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The first failure, which killed it. */
  readonly failure: string | undefined;
}

/** Starting the process of a test file and importing what it needs. */
const startMs = 800;
/** The tests of a mutant are left out beyond so much processor time, the most expensive ones first. */
const maxTestsMs = 12_000;

/** Runs the tests that run a mutant until one fails: the cheapest first, and the simulation after all unit tests. */
export async function judgeMutant(
  mutant: Mutant,
  coverage: readonly CoveredFile[],
  vitest: WarmVitest,
): Promise<JudgedMutant> {
  const chosen = testsFor(mutant, coverage);
  if (chosen.length === 0) return { mutant, verdict: 'not covered', failure: undefined };
  const longestMs = Math.max(...chosen.map(({ processorMs }) => processorMs));
  vitest.replace(mutant.path, applyEdits(readText(mutant.path), [mutant]));
  const maxProcessorMs = 4 * (startMs + longestMs);
  const { failure, timedOut } = await vitest.run(chosen, { bail: true, maxProcessorMs, regions: 0 });
  vitest.replace(mutant.path, undefined);
  return { mutant, verdict: failure === undefined ? 'survived' : verdictOf(timedOut), failure };
}

function verdictOf(timedOut: boolean): Verdict {
  return timedOut ? 'timed out' : 'killed';
}

interface CostedSelection extends Selection {
  readonly testIds: readonly string[];
  readonly processorMs: number;
}

/** Returns the tests that run the region of the mutant, in the order in which they judge it. */
export function testsFor(mutant: Mutant, coverage: readonly CoveredFile[]): readonly CostedSelection[] {
  const region = regionAt(instrument(mutant.path, readText(mutant.path), 0), mutant);
  const runs = (regions: RegionsByPath): boolean => region !== undefined && !!regions[mutant.path]?.includes(region);
  const runsAlways = (file: CoveredFile): boolean =>
    region === undefined ? file.imports.has(mutant.path) : runs(file.outside);
  const covering = coverage
    .map((file) => ({ file, tests: file.tests.filter(({ regions }) => runsAlways(file) || runs(regions)) }))
    .filter(({ tests }) => tests.length > 0)
    .toSorted((one, other) => rankOf(one, mutant) - rankOf(other, mutant));
  let leftMs = maxTestsMs;
  return covering.flatMap(({ file: { judge, path }, tests }, index) => {
    const testIds = cheapestOf(tests, index === 0 ? Infinity : leftMs - startMs);
    const processorMs = costOf(tests.filter(({ id }) => testIds.includes(id)));
    if (testIds.length > 0) leftMs -= startMs + processorMs;
    return testIds.length === 0 ? [] : [{ judge, path, testIds, processorMs }];
  });
}

function costOf(tests: readonly CoveredTest[]): number {
  return tests.reduce((sum, { processorMs }) => sum + processorMs, 0);
}

/** Returns the cheapest tests that take no longer than this together. */
function cheapestOf(tests: readonly CoveredTest[], limitMs: number): readonly string[] {
  let total = 0;
  return tests
    .toSorted((one, other) => one.processorMs - other.processorMs)
    .filter(({ processorMs }) => (total += processorMs) <= limitMs)
    .map(({ id }) => id);
}

/** Tests of the file itself know the most about a mutant, then those of its folder. The simulation takes the longest. */
function rankOf({ file: { judge, path }, tests }: Covering, mutant: Mutant): number {
  const mirrored = path.replace(/^test/, 'src');
  const isOwn = mirrored.startsWith(mutant.path.replace(/\.ts$/, '.'));
  const isNear = dirname(mirrored) === dirname(mutant.path);
  return (judge === 'simulation' ? 1e9 : 0) + (isOwn ? 0 : 1e6) + (isNear ? 0 : 1e7) + costOf(tests);
}

interface Covering {
  readonly file: CoveredFile;
  readonly tests: readonly CoveredTest[];
}
