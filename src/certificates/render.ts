import { isPlainObject, toJson, type Plain, type PlainObject } from './plain.ts';
import { parseDateTime } from './certificate-schema.ts';

/** Converts the value of a listed field. Undefined omits the field. */
type Write = (value: Plain) => Plain | undefined;

const unchanged: Write = (value) => value ?? undefined;
const date: Write = (value) => dateOf(value) ?? undefined;
const rules: Write = (value) => (isPlainObject(value) ? inOrder(value, ruleFields) : unchanged(value));

/** The contract's fields in their order. Unset fields are omitted, but `expires` is always a date or null. */
const certificateFields: ReadonlyMap<string, Write> = new Map([
  ['_id', unchanged],
  ['_userId', unchanged],
  ['_ownerId', unchanged],
  ['_badgeId', unchanged],
  ['creationDate', date],
  ['expires', dateOf],
  ['disabled', unchanged],
  ['expiryReminderSent', unchanged],
  ['_lessonActiveIds', unchanged],
  ['ruleData', rules],
  ['createdAt', date],
  ['updatedAt', date],
  ['__v', unchanged],
]);

const ruleFields: ReadonlyMap<string, Write> = new Map(
  ['type', 'name', 'description', 'validityDurationDays'].map((name) => [name, unchanged]),
);

/** Renders a certificate record as JSON in the contract's order. Unlisted fields come last, in their own order. */
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

/** Normalises a date. Text that is no date is left for `validateRecord`. Protobuf writes an unset text as empty. */
function dateOf(value: Plain): Plain {
  if (value === '') return null;
  if (typeof value !== 'string') return value;
  const time = parseDateTime(value);
  return time === undefined ? value : new Date(time).toISOString();
}
