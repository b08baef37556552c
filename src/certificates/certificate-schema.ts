import { isObject } from '../lib/strict-json.ts';
import { parseDateTime } from './date-time.ts';
import { idProblem } from './id.ts';

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

const isDate = (value: unknown): boolean => typeof value === 'string' && parseDateTime(value) !== undefined;
const flag = unless('a boolean', (value) => typeof value === 'boolean');
/** Our own form of a date-time. That of a library may change with an update. */
const date = unless('an ISO 8601 date-time', isDate);
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
  optional(
    'expires',
    unless('an ISO 8601 date-time or null', (value) => value === null || isDate(value)),
  ),
  optional('disabled', flag),
  optional('expiryReminderSent', flag),
  optional('_lessonActiveIds', texts),
  optional('ruleData', unless('an object', isObject)),
  optional('createdAt', date),
  optional('updatedAt', date),
  // Infinity is valid: JSON has numbers that a double can't hold, such as 1e999.
  optional(
    '__v',
    unless('a number', (value) => typeof value === 'number'),
  ),
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
