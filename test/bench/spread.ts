/** The median of several numbers, with the lowest and the highest. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Returns undefined for no numbers. The median of an even count is the upper one of the two in the middle. */
export function spreadOf(numbers: readonly number[]): Spread | undefined {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [median, lowest, highest] = [Math.floor(sorted.length / 2), 0, -1].map((index) => sorted.at(index));
  if (median === undefined || lowest === undefined || highest === undefined) return undefined;
  return { median, lowest, highest };
}

export function roundedSpread({ median, lowest, highest }: Spread, digits: number): Spread {
  return { median: rounded(median, digits), lowest: rounded(lowest, digits), highest: rounded(highest, digits) };
}

export function rounded(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}
