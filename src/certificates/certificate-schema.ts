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
 * The contract's fields in their order. All others stay in the body, unchecked. A table, because a library's schema made
 * more garbage for a record than parsing its JSON.
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

export const contractFields: readonly string[] = fields.map(({ name }) => name);

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
  // JSON has null for a number that it lacks.
  const value = Number.isNaN(document[name]) ? null : document[name];
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
  return isDateTime(text) ? Date.parse(withOffset.test(text) ? text : `${text}Z`) : undefined;
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

/** Formats a timestamp in the contract's form. Rounds down to milliseconds, also before 1970. */
export function isoTimestamp(value: number | bigint, unitsPerMs: number): string {
  const isBig = typeof value === 'bigint';
  const rest = isBig ? Number(value % BigInt(unitsPerMs)) : value % unitsPerMs;
  const epochMs = isBig ? Number(value / BigInt(unitsPerMs)) : (value - rest) / unitsPerMs;
  return isoTime(rest < 0 ? epochMs - 1 : epochMs);
}

export const msPerDay = 86_400_000;
/** From March of the year 0 to the end of 9999, in days since 1970. */
const [firstDay, endDay] = [-719_468, 2_932_897];
const two = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/** Throws a `RangeError` for a time outside the range of `Date`, which takes four times as long for the others. */
export function isoTime(epochMs: number): string {
  const epochDay = Math.floor(epochMs / msPerDay);
  if (!(epochDay >= firstDay && epochDay < endDay)) return new Date(epochMs).toISOString();
  const ms = epochMs - epochDay * msPerDay;
  const [hour, minute, second] = [(ms / 3_600_000) | 0, ((ms / 60_000) | 0) % 60, ((ms / 1000) | 0) % 60];
  return `${isoDate(epochDay - firstDay)}T${two[hour]}:${two[minute]}:${two[second]}.${String((ms % 1000) + 1000).slice(1)}Z`;
}

/** Returns the date of a day since March of the year 0. Its years begin in March, so that a leap day is their last. */
function isoDate(day: number): string {
  const ofCentury = ((4 * day + 3) % 146_097) | 3;
  const months = 5 * ((ofCentury % 1461) >> 2) + 2;
  const month = (months / 153) | 0;
  const year = 100 * (((4 * day + 3) / 146_097) | 0) + ((ofCentury / 1461) | 0) + (month < 10 ? 0 : 1);
  const inYear = `${two[month < 10 ? month + 3 : month - 9]}-${two[(((months % 153) / 5) | 0) + 1]}`;
  return `${two[(year / 100) | 0]}${two[year % 100]}-${inYear}`;
}
