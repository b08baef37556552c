import { dirname } from 'node:path';
import { readText } from '../support/files/sources.ts';
import type { CoveredFile } from './coverage.ts';
import type { Mutant } from './mutants.ts';
import { instrument, regionAt } from './regions.ts';
import { applyEdits } from './syntax-tree.ts';
import type { WarmVitest } from './warm-vitest.ts';

/** The end of a mutant. One that survives, or that no test runs, shows what the tests do not notice. */
export type Verdict = 'killed' | 'timed out' | 'survived' | 'not covered';

/** A mutant and its end. */
export interface JudgedMutant {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

/** Unit tests of a mutant beyond the first file are left out beyond so much processor time. */
const maxUnitMs = 8000;

/** Runs the test files that run a mutant until one fails: the nearest first, and the simulation after all unit tests. */
export async function judgeMutant(
  mutant: Mutant,
  coverage: readonly CoveredFile[],
  vitest: WarmVitest,
): Promise<JudgedMutant> {
  const chosen = filesFor(mutant, coverage);
  if (chosen.length === 0) return { mutant, verdict: 'not covered' };
  const longestMs = Math.max(...chosen.map(({ processorMs }) => processorMs));
  vitest.replace(mutant.path, applyEdits(readText(mutant.path), [mutant]));
  const { failure, timedOut } = await vitest.run(chosen, { bail: true, maxProcessorMs: 4 * longestMs, regions: 0 });
  vitest.replace(mutant.path, undefined);
  if (failure === undefined) return { mutant, verdict: 'survived' };
  return { mutant, verdict: timedOut ? 'timed out' : 'killed' };
}

/** Returns the test files that run the region of the mutant, in the order in which they judge it. */
function filesFor(mutant: Mutant, coverage: readonly CoveredFile[]): readonly CoveredFile[] {
  const region = regionAt(instrument(mutant.path, readText(mutant.path), 0), mutant);
  const covering = coverage.filter(({ regions: { [mutant.path]: hits = [] } }) =>
    // What runs when a file is imported is in no region.
    region === undefined ? hits.length > 0 : hits.includes(region),
  );
  const ranked = covering.toSorted((one, other) => rankOf(one, mutant) - rankOf(other, mutant));
  let totalMs = 0;
  return ranked.filter(({ judge, processorMs }, index) => {
    if (index > 0 && judge === 'unit' && totalMs + processorMs > maxUnitMs) return false;
    totalMs += processorMs;
    return true;
  });
}

/** Tests of the file itself know the most about a mutant, then those of its folder. The simulation takes the longest. */
function rankOf({ judge, path, processorMs }: CoveredFile, mutant: Mutant): number {
  const mirrored = path.replace(/^test/, 'src');
  const isOwn = mirrored.startsWith(mutant.path.replace(/\.ts$/, '.'));
  const isNear = dirname(mirrored) === dirname(mutant.path);
  return (judge === 'simulation' ? 1e9 : 0) + (isOwn ? 0 : 1e6) + (isNear ? 0 : 1e7) + processorMs;
}
