/** The number that this part of all numbers does not exceed. */
export function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * part)] ?? Number.NaN;
}
