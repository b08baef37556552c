import { z } from 'zod';
import { parseDateTime } from './date-time.ts';
import { idProblem, isId } from './id.ts';

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

/** Validates a decoded record against the contract's list of fields. */
export function validateRecord(document: unknown): RecordValidation {
  const result = recordSchema.safeParse(document);
  if (!result.success) return { kind: 'invalid', message: describe(result.error) };
  const record = result.data;
  return {
    kind: 'valid',
    id: record._id,
    userId: record._userId,
    ownerId: record._ownerId,
    expiresAt: typeof record.expires === 'string' ? parseDateTime(record.expires) : undefined,
    missingFields: missingFields(record),
  };
}

/** Each `error` completes the sentence "the field must be …". No error contains a value of the record. */
const id = z.custom<string>(isId, { error: ({ input }) => idProblem(input) });
const text = z.string({ error: 'a string' });
const flag = z.boolean({ error: 'a boolean' });
const date = dateTime('an ISO 8601 date-time');
/** Unlike `z.number()`, this accepts JSON numbers that a double can't hold, such as 1e999. */
const number = z.custom<number>((value) => typeof value === 'number', { error: 'a number' });
/** Arrays and objects are one finding each, so that a record of a megabyte does not lead to one for each element. */
const texts = z.custom<readonly string[]>(isTexts, { error: 'an array of strings' });
const object = z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'an object' });

/** Unlisted fields are ignored here. They stay in the body. */
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

/** Expected fields that may be missing, which is counted. `__v` is not listed, because the contract makes it optional. */
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

/** Expected fields of `ruleData`. `description` is not listed, because the contract makes it optional. */
const ruleFields = ['type', 'name', 'validityDurationDays'] as const;

/** All names that `missingFields` may contain. */
export const countedFields: readonly string[] = [...optionalFields, ...ruleFields.map((field) => `ruleData.${field}`)];

/** Returns the missing fields. A missing `ruleData` counts as one field, not as four. */
function missingFields(record: z.infer<typeof recordSchema>): readonly string[] {
  const missing: string[] = [];
  for (const field of optionalFields) if (record[field] === undefined) missing.push(field);
  const rules = record.ruleData;
  if (rules === undefined) return missing;
  for (const field of ruleFields) if (rules[field] === undefined) missing.push(`ruleData.${field}`);
  return missing;
}

/** Uses our own form, because the form of zod may change with an update. */
function dateTime(error: string): z.ZodType<string> {
  return z.custom<string>((value) => typeof value === 'string' && parseDateTime(value) !== undefined, { error });
}

function describe(error: z.ZodError): string {
  const findings = error.issues.map(({ path, message }) => `${path.join('.') || 'the record'} must be ${message}`);
  return findings.join(', ');
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
