/** How runs of one program differ from those of another one, in one quantity. */
export interface Difference {
  /** The median of these over the median of those. */
  readonly ratio: number;
  /** How likely runs of one and the same program are to be told apart as well as these, or better. */
  readonly p: number;
  readonly verdict: 'difference' | 'noise' | 'too few runs';
}

export interface Runs {
  readonly these: readonly number[];
  readonly those: readonly number[];
}

const mostLikely = 0.05;

/** Undefined when there is nothing to compare. */
export function differenceOf(runs: Runs): Difference | undefined {
  const [these, those] = [medianOf(runs.these), medianOf(runs.those)];
  if (these === undefined || those === undefined) return undefined;
  const p = likelihoodOf(runs);
  return { ratio: these / those, p, verdict: verdictOf(p, runs) };
}

/** The exact p value of the two-sided test by Mann and Whitney: every way to deal the same numbers out is counted. */
export function likelihoodOf({ these, those }: Runs): number {
  const ranks = ranksOf([...these, ...those]);
  const expected = (these.length * (ranks.length + 1)) / 2;
  const distance = Math.abs(sumOf(ranks.slice(0, these.length)) - expected);
  const sums = sumsOf(ranks, these.length);
  return sums.filter((sum) => Math.abs(sum - expected) >= distance).length / sums.length;
}

function verdictOf(p: number, { these, those }: Runs): Difference['verdict'] {
  if (p < mostLikely) return 'difference';
  const farthest = { these: these.map((_, index) => index), those: those.map((_, index) => these.length + index) };
  return likelihoodOf(farthest) < mostLikely ? 'noise' : 'too few runs';
}

/** From one on; equal numbers share the mean of their ranks. */
function ranksOf(numbers: readonly number[]): readonly number[] {
  return numbers.map((number) => {
    const below = numbers.filter((other) => other < number).length;
    const equal = numbers.filter((other) => other === number).length;
    return below + (equal + 1) / 2;
  });
}

/** The sums of all choices of so many of them. */
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
