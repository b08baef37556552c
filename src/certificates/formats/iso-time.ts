const msPerDay = 86_400_000;

/** Formats a timestamp in the contract's form. Rounds down to milliseconds, also before 1970. */
export function isoTimestamp(value: bigint, unitsPerMs: bigint): string {
  const remainder = ((value % unitsPerMs) + unitsPerMs) % unitsPerMs;
  return isoTime(Number((value - remainder) / unitsPerMs));
}

/** Formats the midnight at the start of a day. */
export function isoDay(epochDay: number): string {
  return isoTime(epochDay * msPerDay);
}

/** Throws a `RangeError` for a time outside the range of `Date`. */
function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
