/** A range of ports that includes both ends. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export function isInRanges(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ first, last }) => first <= port && port <= last);
}
