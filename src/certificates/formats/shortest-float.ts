/** Significant digits that distinguish all 32-bit floats. */
const distinctDigits = 9;

/**
 * Returns the number with the fewest digits that reads back as this 32-bit float, so that 0.1 is not written as
 * 0.10000000149011612. Values without digits, such as NaN, are returned as they are.
 */
export function shortestFloat(value: number): number {
  for (let digits = 1; digits < distinctDigits; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(distinctDigits));
}
