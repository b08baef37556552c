/** Returns the number at this position of the sorted numbers, from 0 to 1. */
export function quantile(numbers: readonly number[], position: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * position)] ?? Number.NaN;
}
