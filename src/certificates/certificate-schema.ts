import { isObject } from '../lib/strict-json.ts';

/** The fields of a certificate record that the service uses. All other fields are only passed on. */
type RecordValidation =
  | {
      readonly kind: 'valid';
      readonly id: string;
      readonly userId: string;
      readonly ownerId: string;
      /** Epoch milliseconds. Undefined when the certificate does not expire or has no such field. */
      readonly expiresAt: number | undefined;
      readonly missingFields: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly message: string };

/** Returns what a field must be and this value is not, to follow "must be". Quotes nothing of the value. */
type FieldProblem = (value: unknown) => string | undefined;

interface CertificateField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly problem: FieldProblem;
}

interface CheckedRecord {
  readonly _id: string;
  readonly _userId: string;
  readonly _ownerId: string;
  readonly expires?: string | null;
  readonly ruleData?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const isDate = (value: unknown): boolean => typeof value === 'string' && isDateTime(value);
const flag = unless('a boolean', (value) => typeof value === 'boolean');
/** Our own form of a date-time. That of a library may change with an update. */
const date = unless('an ISO 8601 date-time', isDate);
const dateOrNull = unless('an ISO 8601 date-time or null', (value) => value === null || isDate(value));
/** Infinity is valid: JSON has numbers that a double can't hold, such as 1e999. */
const number = unless('a number', (value) => typeof value === 'number' || JSON.isRawJSON(value));
/** Arrays and objects are one finding each, so that a record of a megabyte does not lead to one for each element. */
const texts = unless('an array of strings', (value) => Array.isArray(value) && value.every(isText));

/**
 * The contract's fields. All others stay in the body, unchecked. A table, because a library's schema made more garbage for
 * a record than parsing its JSON.
 */
const fields: readonly CertificateField[] = [
  required('_id', idProblem),
  required('_userId', idProblem),
  required('_ownerId', idProblem),
  optional('_badgeId', unless('a string', isText)),
  optional('creationDate', date),
  optional('expires', dateOrNull),
  optional('disabled', flag),
  optional('expiryReminderSent', flag),
  optional('_lessonActiveIds', texts),
  optional('ruleData', unless('an object', isObject)),
  optional('createdAt', date),
  optional('updatedAt', date),
  optional('__v', number),
];

export function validateRecord(document: unknown): RecordValidation {
  if (!isObject(document)) return { kind: 'invalid', message: 'the record must be an object' };
  if (!isChecked(document)) return { kind: 'invalid', message: describe(document) };
  return {
    kind: 'valid',
    id: document._id,
    userId: document._userId,
    ownerId: document._ownerId,
    expiresAt: typeof document.expires === 'string' ? parseDateTime(document.expires) : undefined,
    missingFields: missingFields(document),
  };
}

function isChecked(document: Readonly<Record<string, unknown>>): document is CheckedRecord {
  return fields.every((field) => problemOf(field, document) === undefined);
}

function problemOf(
  { name, isOptional, problem }: CertificateField,
  document: Readonly<Record<string, unknown>>,
): string | undefined {
  const value = document[name];
  return isOptional && value === undefined ? undefined : problem(value);
}

function describe(document: Readonly<Record<string, unknown>>): string {
  const findings = fields.map((field) => ({ name: field.name, problem: problemOf(field, document) }));
  return findings
    .flatMap(({ name, problem }) => (problem === undefined ? [] : `${name} must be ${problem}`))
    .join(', ');
}

/** Expected fields that may be missing, which is counted. `__v` is not listed, because the contract makes it optional. */
const optionalFields = fields.filter(({ name, isOptional }) => isOptional && name !== '__v').map(({ name }) => name);

/** Expected fields of `ruleData`. `description` is not listed, because the contract makes it optional. */
const ruleFields = ['type', 'name', 'validityDurationDays'] as const;

/** All names that `missingFields` may contain. */
export const countedFields: readonly string[] = [...optionalFields, ...ruleFields.map((field) => `ruleData.${field}`)];

/** Returns the missing fields. A missing `ruleData` counts as one field, not as four. */
function missingFields(record: CheckedRecord): readonly string[] {
  const missing: string[] = [];
  for (const field of optionalFields) if (record[field] === undefined) missing.push(field);
  const rules = record.ruleData;
  if (rules === undefined) return missing;
  for (const field of ruleFields) if (rules[field] === undefined) missing.push(`ruleData.${field}`);
  return missing;
}

function required(name: string, problem: FieldProblem): CertificateField {
  return { name, isOptional: false, problem };
}

function optional(name: string, problem: FieldProblem): CertificateField {
  return { name, isOptional: true, problem };
}

function unless(must: string, isValid: (value: unknown) => boolean): FieldProblem {
  return (value) => (isValid(value) ? undefined : must);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/**
 * The longest id, in bytes of UTF-8. A retry carries its ids in headers, three of them and one twice. Its headers must fit
 * into a record even when nothing else does.
 */
export const maxIdBytes = 1024;

/**
 * Returns true for the id of a certificate, a user, an owner or a webhook configuration.
 *
 * Ids travel in record headers as UTF-8. Half a surrogate pair has no UTF-8, so it would come back as another id.
 */
export function isId(value: unknown): value is string {
  return idProblem(value) === undefined;
}

/** Returns what an id must be and this value is not, to follow "must be". Undefined for an id. Quotes nothing of the value. */
export function idProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'a non-empty string';
  if (value.length > maxIdBytes || Buffer.byteLength(value, 'utf8') > maxIdBytes) return tooLong;
  return value.isWellFormed() ? undefined : 'well-formed Unicode, without half a surrogate pair';
}

const tooLong = `at most ${maxIdBytes.toLocaleString('en')} bytes of UTF-8`;

/**
 * An ISO 8601 date-time in extended format. Java's `OffsetDateTime` leaves out seconds that are zero. A time of 24:00 and
 * a leap second are not accepted.
 */
const form =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
const zero = 0x30;
const dateAlone = /^\d{4}-\d\d-\d\d$/;
const withOffset = /(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a date-time into epoch milliseconds. One without an offset is UTC by the contract, not the time zone of this
 * machine. Undefined for any other text, also for a day that the month does not have.
 */
export function parseDateTime(text: string): number | undefined {
  if (!isDateTime(text)) return undefined;
  return Date.parse(withOffset.test(text) ? text : `${text}Z`);
}

function isDateTime(text: string): boolean {
  return form.test(text) && isDayOfMonth(text);
}

/**
 * Parses a date-time that has an offset, or a date alone, into epoch milliseconds. A date is its midnight in UTC. Undefined
 * for any other text: without an offset, a time means another time on another machine.
 */
export function parseTime(text: string): number | undefined {
  if (dateAlone.test(text)) return parseDateTime(`${text}T00:00Z`);
  return withOffset.test(text) ? parseDateTime(text) : undefined;
}

/** `Date.parse` turns 30 February into 2 March. */
function isDayOfMonth(text: string): boolean {
  // Two digits, as the form has shown.
  const day = 10 * text.charCodeAt(8) + text.charCodeAt(9) - 11 * zero;
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === day;
}

const msPerDay = 86_400_000;
const daysPer400Years = 146_097;
/** Formats a timestamp in the contract's form. Rounds down to milliseconds, also before 1970. */
export function isoTimestamp(value: number | bigint, unitsPerMs: number): string {
  if (typeof value === 'bigint') {
    const units = BigInt(unitsPerMs);
    return isoTime(Number(value / units) - (value % units < 0n ? 1 : 0));
  }
  const rest = value % unitsPerMs;
  return isoTime((value - rest) / unitsPerMs - (rest < 0 ? 1 : 0));
}

/** Formats the midnight at the start of a day. */
export function isoDay(epochDay: number): string {
  return isoTime(epochDay * msPerDay);
}

/** Formats a time. Throws a `RangeError` outside the range of `Date`, whose own formatting takes three times as long. */
export function isoTime(epochMs: number): string {
  const epochDay = Math.floor(epochMs / msPerDay);
  // Only these years have four digits.
  if (!(epochDay >= firstDay && epochDay < endDay)) return new Date(epochMs).toISOString();
  const ms = epochMs - epochDay * msPerDay;
  const [seconds, minutes] = [(ms / 1000) | 0, (ms / 60_000) | 0];
  const time = `${two[(minutes / 60) | 0]}:${two[minutes % 60]}:${two[seconds % 60]}.${three[ms % 1000]}`;
  return `${isoDate(epochDay)}T${time}Z`;
}

/** The first days of the years 0 and 10,000, since 1970. */
const [firstDay, endDay] = [-719_528, 2_932_897];
const [two = [], three = []] = [2, 3].map((width) =>
  Array.from({ length: 10 ** width }, (_, number) => String(number).padStart(width, '0')),
);

/** Returns the date of a day. Counts years from March, so that a leap day is the last of its year. */
function isoDate(epochDay: number): string {
  const day = epochDay - firstDay + daysPer400Years - 60;
  const dayOf400 = day % daysPer400Years;
  const leapDays = ((dayOf400 / 1460) | 0) - ((dayOf400 / 36_524) | 0) + ((dayOf400 / (daysPer400Years - 1)) | 0);
  const yearOf400 = ((dayOf400 - leapDays) / 365) | 0;
  const dayOfYear = dayOf400 - (365 * yearOf400 + (yearOf400 >> 2) - ((yearOf400 / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const dayOfMonth = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOf400 + 400 * ((day / daysPer400Years | 0) - 1) + (month <= 2 ? 1 : 0);
  return `${two[(year / 100) | 0]}${two[year % 100]}-${two[month]}-${two[dayOfMonth]}`;
}
