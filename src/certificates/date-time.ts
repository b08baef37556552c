/**
 * An ISO 8601 date-time in extended format. Java's `OffsetDateTime` leaves out seconds that are zero. A time of 24:00 and
 * a leap second are not accepted.
 */
const form = new RegExp(
  String.raw`^(?<date>\d{4}-(?<month>0[1-9]|1[0-2])-(?<day>0[1-9]|[12]\d|3[01]))` +
    String.raw`T(?<time>(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)` +
    String.raw`(?<offset>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`,
);

/**
 * Parses a date-time into epoch milliseconds. One without an offset is UTC by the contract, not the time zone of this
 * machine. Undefined for any other text, also for a day that the month does not have.
 */
export function parseDateTime(text: string): number | undefined {
  const parts = form.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date = '', time = '', offset = 'Z' } = parts;
  // `Date.parse` turns 30 February into 2 March.
  const isDay = new Date(Date.parse(`${date}T00:00Z`)).getUTCDate() === Number(parts['day']);
  return isDay ? Date.parse(`${date}T${time}${offset}`) : undefined;
}
