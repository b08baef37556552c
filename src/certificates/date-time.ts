/**
 * An ISO 8601 date-time in extended format. Java's `OffsetDateTime` leaves out seconds that are zero. A time of 24:00 and
 * a leap second are not accepted.
 */
const form =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
const zero = 0x30;
const dateAlone = /^\d{4}-\d\d-\d\d$/;
const offset = /(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a date-time into epoch milliseconds. One without an offset is UTC by the contract, not the time zone of this
 * machine. Undefined for any other text, also for a day that the month does not have.
 */
export function parseDateTime(text: string): number | undefined {
  if (!form.test(text) || !isDayOfMonth(text)) return undefined;
  return Date.parse(offset.test(text) ? text : `${text}Z`);
}

/**
 * Parses a date-time that has an offset, or a date alone, into epoch milliseconds. A date is its midnight in UTC. Undefined
 * for any other text: without an offset, a time means another time on another machine.
 */
export function parseTime(text: string): number | undefined {
  if (dateAlone.test(text)) return parseDateTime(`${text}T00:00Z`);
  return offset.test(text) ? parseDateTime(text) : undefined;
}

/** `Date.parse` turns 30 February into 2 March. */
function isDayOfMonth(text: string): boolean {
  // Two digits, as the form has shown.
  const day = 10 * text.charCodeAt(8) + text.charCodeAt(9) - 11 * zero;
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === day;
}

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
