import { isObject } from '../lib/strict-json.ts';
import { toJson, type Plain, type PlainObject } from './plain.ts';
import { contractFields, isoTime, parseDateTime } from './certificate-schema.ts';
import type { ReadJson } from './framing.ts';

/** Converts the value of a listed field. Undefined omits the field. */
type Write = (value: Plain) => Plain | undefined;

const unchanged: Write = (value) => value ?? undefined;
const date: Write = (value) => dateOf(value) ?? undefined;
const rules: Write = (value) => (isObject(value) ? inOrder(value, ruleFields) : unchanged(value));

/** Unset fields are omitted, but `expires` is always a date or null. */
const writes = { creationDate: date, expires: dateOf, ruleData: rules, createdAt: date, updatedAt: date };
const certificateFields = inOrderOf(contractFields, writes);
const ruleFields = inOrderOf(['type', 'name', 'description', 'validityDurationDays'], {});

function inOrderOf(names: readonly string[], special: Readonly<Record<string, Write>>): ReadonlyMap<string, Write> {
  return new Map(names.map((name) => [name, special[name] ?? unchanged]));
}

/** Renders a certificate record as JSON in the contract's order. Unlisted fields come last, in their own order. */
export function renderCertificate(record: Plain): Extract<ReadJson, { kind: 'json' }> {
  const document = isObject(record) ? inOrder(record, certificateFields) : record;
  return { kind: 'json', document, bytes: Buffer.from(toJson(document), 'utf8') };
}

function inOrder(record: PlainObject, order: ReadonlyMap<string, Write>): PlainObject {
  const rendered: Record<string, Plain> = {};
  for (const [name, write] of order) {
    const value = record[name];
    const written = value === undefined ? undefined : write(value);
    if (written !== undefined) rendered[name] = written;
  }
  for (const name in record) if (!order.has(name)) rendered[name] = record[name] ?? null;
  return rendered;
}

/** Normalises a date. Text that is no date is left for `validateRecord`. Protobuf writes an unset text as empty. */
function dateOf(value: Plain): Plain {
  if (value === '') return null;
  // A date of 24 characters with this end is in the form of the contract. No other form has both.
  if (typeof value !== 'string' || (value.length === 24 && value.endsWith('Z'))) return value;
  const time = parseDateTime(value);
  return time === undefined ? value : isoTime(time);
}
