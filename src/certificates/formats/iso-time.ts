const msPerDay = 86_400_000;

/** A moment as the contract writes it. What is finer than a millisecond is cut off, before 1970 as well. */
export function isoTimestamp(value: bigint, unitsPerMs: bigint): string {
  const rest = ((value % unitsPerMs) + unitsPerMs) % unitsPerMs;
  return isoTime(Number((value - rest) / unitsPerMs));
}

/** The midnight that the day begins with. */
export function isoDay(epochDay: number): string {
  return isoTime(epochDay * msPerDay);
}

/** Throws a `RangeError` for a moment that no calendar has. */
function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
