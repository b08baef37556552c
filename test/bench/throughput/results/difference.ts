/** The difference between the runs of two programs in one quantity. */
export interface Difference {
  /** The median of these divided by the median of those. */
  readonly ratio: number;
  /** The probability that runs of the same program differ at least as clearly. */
  readonly p: number;
  readonly verdict: 'difference' | 'noise' | 'too few runs';
}

interface Runs {
  readonly these: readonly number[];
  readonly those: readonly number[];
}

const significance = 0.05;

/** Returns undefined if one of them has no runs. */
export function differenceOf(runs: Runs): Difference | undefined {
  const [these, those] = [medianOf(runs.these), medianOf(runs.those)];
  if (these === undefined || those === undefined) return undefined;
  const p = pValueOf(runs);
  return { ratio: these / those, p, verdict: verdictOf(p, runs) };
}

/** Returns the exact p value of the two-sided Mann-Whitney test, over all ways to distribute the same ranks. */
export function pValueOf({ these, those }: Runs): number {
  const ranks = ranksOf([...these, ...those]);
  const expected = (these.length * (ranks.length + 1)) / 2;
  const distance = Math.abs(sumOf(ranks.slice(0, these.length)) - expected);
  const sums = sumsOf(ranks, these.length);
  return sums.filter((sum) => Math.abs(sum - expected) >= distance).length / sums.length;
}

function verdictOf(p: number, { these, those }: Runs): Difference['verdict'] {
  if (p < significance) return 'difference';
  const farthest = { these: these.map((_, index) => index), those: those.map((_, index) => these.length + index) };
  return pValueOf(farthest) < significance ? 'noise' : 'too few runs';
}

/** Returns ranks from 1. Equal numbers get the mean of their ranks. */
function ranksOf(numbers: readonly number[]): readonly number[] {
  return numbers.map((number) => {
    const below = numbers.filter((other) => other < number).length;
    const equal = numbers.filter((other) => other === number).length;
    return below + (equal + 1) / 2;
  });
}

/** Returns the sum of each choice of this many ranks. */
function sumsOf(ranks: readonly number[], count: number): readonly number[] {
  if (count === 0) return [0];
  if (ranks.length < count) return [];
  const [first = 0, ...others] = ranks;
  return [...sumsOf(others, count - 1).map((sum) => sum + first), ...sumsOf(others, count)];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((one, other) => one - other).at(Math.floor(numbers.length / 2));
}
