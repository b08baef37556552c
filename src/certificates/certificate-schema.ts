import { z } from 'zod';

/** What is read of a certificate record; all the rest of it is only passed on. */
type RecordValidation =
  | {
      readonly kind: 'valid';
      readonly id: string;
      readonly userId: string;
      readonly ownerId: string;
      /** Epoch milliseconds; undefined when it does not expire, or does not say so. */
      readonly expiresAt: number | undefined;
      readonly missingFields: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly message: string };

/** Judges a decoded record against the contract's list of fields. */
export function validateRecord(document: unknown): RecordValidation {
  const result = recordSchema.safeParse(document);
  if (!result.success) return { kind: 'invalid', message: describe(result.error) };
  const record = result.data;
  return {
    kind: 'valid',
    id: record._id,
    userId: record._userId,
    ownerId: record._ownerId,
    expiresAt: typeof record.expires === 'string' ? utcTime(record.expires) : undefined,
    missingFields: missingFields(record),
  };
}

/** Each `error` ends the sentence "the field must be …". None holds a value, so rejections hold none either. */
const id = z.string({ error: 'a non-empty string' }).min(1, { error: 'a non-empty string' });
const text = z.string({ error: 'a string' });
const flag = z.boolean({ error: 'a boolean' });
const date = dateTime('an ISO 8601 date-time');
/** The schema library's own numbers leave out what JSON can write and a double can't hold, such as 1e999. */
const number = z.custom<number>((value) => typeof value === 'number', { error: 'a number' });
/** Neither is looked into further than needed: a record of a megabyte is one finding, not one for each element. */
const texts = z.custom<readonly string[]>(isTexts, { error: 'an array of strings' });
const object = z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'an object' });

/** Fields that are not listed are let pass unseen: they are in the body, and stay there. */
const recordSchema = z.object(
  {
    _id: id,
    _userId: id,
    _ownerId: id,
    _badgeId: text.optional(),
    creationDate: date.optional(),
    expires: dateTime('an ISO 8601 date-time or null').nullable().optional(),
    disabled: flag.optional(),
    expiryReminderSent: flag.optional(),
    _lessonActiveIds: texts.optional(),
    ruleData: object.optional(),
    createdAt: date.optional(),
    updatedAt: date.optional(),
    __v: number.optional(),
  },
  { error: 'an object' },
);

/** Fields of the contract without which a record goes out all the same. `__v` may be absent by the contract. */
const optionalFields = [
  '_badgeId',
  'creationDate',
  'expires',
  'disabled',
  'expiryReminderSent',
  '_lessonActiveIds',
  'ruleData',
  'createdAt',
  'updatedAt',
] as const;

/** The same of `ruleData`, whose `description` may be absent by the contract. */
const ruleFields = ['type', 'name', 'validityDurationDays'] as const;

/** Every name that can stand among a certificate's missing fields. */
export const countedFields: readonly string[] = [...optionalFields, ...ruleFields.map((field) => `ruleData.${field}`)];

/** A `ruleData` that is not there is one missing field, not four. */
function missingFields(record: z.infer<typeof recordSchema>): readonly string[] {
  const missing: string[] = [];
  for (const field of optionalFields) if (record[field] === undefined) missing.push(field);
  const rules = record.ruleData;
  if (rules === undefined) return missing;
  for (const field of ruleFields) if (rules[field] === undefined) missing.push(`ruleData.${field}`);
  return missing;
}

function dateTime(error: string): z.ZodISODateTime {
  return z.iso.datetime({ offset: true, local: true, error });
}

function describe(error: z.ZodError): string {
  const findings = error.issues.map(({ path, message }) => `${path.join('.') || 'the record'} must be ${message}`);
  return findings.join(', ');
}

/** The contract's dates are UTC; one that names no offset would otherwise be read in this machine's time zone. */
export function utcTime(moment: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(moment) ? moment : `${moment}Z`);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
