import { parseJson, type ReadJson } from './framing.ts';
import { fieldOf, fieldsOf, hasMap, isMap, isPlainObject, toJson, type Plain, type PlainObject } from './plain.ts';
import { isoTime, parseDateTime } from './certificate-schema.ts';

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
export function renderCertificate(record: Plain): ReadJson {
  const document = isPlainObject(record) ? inOrder(record, certificateFields) : record;
  if (hasMap(document)) return parseJson(Buffer.from(toJson(document), 'utf8'));
  return { kind: 'json', document, bytes: Buffer.from(JSON.stringify(document), 'utf8') };
}

function inOrder(record: PlainObject, order: ReadonlyMap<string, Write>): PlainObject {
  const rendered: Record<string, Plain> = {};
  for (const [name, write] of order) {
    const value = fieldOf(record, name);
    const written = value === undefined ? undefined : write(value);
    if (written !== undefined) rendered[name] = written;
  }
  const others = Array.from(fieldsOf(record)).filter(([name]) => !order.has(name));
  return isMap(record) ? new Map([...Object.entries(rendered), ...others]) : Object.assign(rendered, Object.fromEntries(others));
}

/** Normalises a date. Text that is no date is left for `validateRecord`. Protobuf writes an unset text as empty. */
function dateOf(value: Plain): Plain {
  if (value === '') return null;
  // A date of this length has this form already.
  if (typeof value !== 'string' || (value.length === isoLength && value.endsWith('Z'))) return value;
  const time = parseDateTime(value);
  return time === undefined ? value : isoTime(time);
}

const isoLength = '2026-03-14T09:26:53.589Z'.length;
