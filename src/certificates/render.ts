import { isPlainObject, toJson, type Plain, type PlainObject } from './plain.ts';
import { utcTime } from './certificate-schema.ts';

/** What becomes of a listed field; undefined leaves it out. */
type Write = (value: Plain) => Plain | undefined;

const asItIs: Write = (value) => value ?? undefined;
const date: Write = (value) => dateOf(value) ?? undefined;
const rules: Write = (value) => (isPlainObject(value) ? inOrder(value, ruleFields) : asItIs(value));

/** The contract's fields in its order. What is unset is left out, but an expiry is always a date or null. */
const certificateFields: ReadonlyMap<string, Write> = new Map([
  ['_id', asItIs],
  ['_userId', asItIs],
  ['_ownerId', asItIs],
  ['_badgeId', asItIs],
  ['creationDate', date],
  ['expires', dateOf],
  ['disabled', asItIs],
  ['expiryReminderSent', asItIs],
  ['_lessonActiveIds', asItIs],
  ['ruleData', rules],
  ['createdAt', date],
  ['updatedAt', date],
  ['__v', asItIs],
]);

const ruleFields: ReadonlyMap<string, Write> = new Map(
  ['type', 'name', 'description', 'validityDurationDays'].map((name) => [name, asItIs]),
);

/** A certificate record as the contract has it. Fields that the contract does not list come last, in their own order. */
export function renderCertificate(record: Plain): Buffer {
  return Buffer.from(toJson(isPlainObject(record) ? inOrder(record, certificateFields) : record), 'utf8');
}

function inOrder(record: PlainObject, order: ReadonlyMap<string, Write>): PlainObject {
  const rendered = new Map<string, Plain>();
  for (const [name, write] of order) {
    const value = record.get(name);
    const written = value === undefined ? undefined : write(value);
    if (written !== undefined) rendered.set(name, written);
  }
  for (const [name, value] of record) if (!order.has(name)) rendered.set(name, value);
  return rendered;
}

const isoDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/;

/** A text that is no date is left for the schema of records to judge; an empty one is how Protobuf says unset. */
function dateOf(value: Plain): Plain {
  if (value === '') return null;
  if (typeof value !== 'string' || !isoDateTime.test(value)) return value;
  const time = utcTime(value);
  return Number.isNaN(time) ? value : new Date(time).toISOString();
}
