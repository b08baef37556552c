/**
 * Returns the wait in milliseconds that `Retry-After` asks for. Its value is seconds or a date (RFC 9110, 10.2.3).
 * Servers also send fractions of seconds, which are rounded up, and dates as in mail (RFC 5322, 3.3). Undefined when the
 * value is none of these. The result has no upper limit; callers apply their own. A date is measured against the
 * response's `Date`, if it has one, so that wrong clocks do no harm.
 */
export function parseRetryAfter(value: string, now: number, date?: string): number | undefined {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)) * 1000, Number.MAX_SAFE_INTEGER);
  const until = parseHttpDate(text, now);
  if (until === undefined) return undefined;
  const since = date === undefined ? undefined : parseHttpDate(date.trim(), now);
  return Math.max(until - (since ?? now), 0);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;

/** Servers that format dates as in mail write the offset of GMT. */
const zone = String.raw`(?:GMT|UTC|[+-]0000)`;

/**
 * The current date format and the two obsolete ones. A recipient must accept all three (RFC 9110, 5.6.7). Mail's format
 * differs from the current one in its zone, and in a day that may have one digit.
 */
const forms = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d{1,2}) ${month} (?<year>\d{4}) ${time} ${zone}$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} ${zone}$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})$`),
];

function parseHttpDate(text: string, now: number): number | undefined {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const number = (name: string): number => Number(parts[name]);
  const day = number('day');
  const at = Date.UTC(
    fullYear(parts['year'] ?? '', now),
    months.indexOf(parts['month'] ?? ''),
    day,
    number('hour'),
    number('minute'),
    // A leap second is legal. It is read as the second before it.
    Math.min(number('second'), 59),
  );
  // `Date.UTC` turns a day that the month does not have into one of the next month.
  return new Date(at).getUTCDate() === day ? at : undefined;
}

/** Returns a year of four digits. Two digits that would be more than 50 years ahead mean the past (RFC 9110, 5.6.7). */
function fullYear(digits: string, now: number): number {
  if (digits.length > 2) return Number(digits);
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + Number(digits);
  return year > current + 50 ? year - 100 : year;
}
