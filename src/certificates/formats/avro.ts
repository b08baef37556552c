import { fieldName, plainInteger, plainNumber, shortestFloat, type Plain } from '../plain.ts';
import { isObject } from '../../lib/strict-json.ts';
import { isoTime, isoTimestamp, msPerDay } from '../certificate-schema.ts';
import { AvroCursor, AvroContradictionError } from './avro-cursor.ts';
import type { Format, SchemaDocument } from '../framing.ts';
import { RecordTooComplexError } from './reading-limits.ts';

/** Compiles a reader of Avro's binary encoding. Throws when the schema can't be used. */
export function compileAvro({ text, references }: SchemaDocument): Format {
  const named: NamedTypes = new Map();
  for (const reference of references) readerOf(JSON.parse(reference.text), named);
  const read = readerOf(JSON.parse(text), named);
  return (payload) => {
    try {
      const cursor = new AvroCursor(payload);
      const value = read(cursor);
      cursor.end();
      return { kind: 'plain', value };
    } catch (error) {
      return { kind: 'undecodable', message: reasonOf(error) };
    }
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof RecordTooComplexError) return error.message;
  if (error instanceof AvroContradictionError) return `the value contradicts its Avro schema: ${error.message}`;
  if (error instanceof RangeError) return 'the value contradicts its Avro schema: it has a date that no calendar has';
  throw error;
}

type ReadAvro = (cursor: AvroCursor) => Plain;

/** The named types that were defined so far, by full name. */
export type NamedTypes = Map<string, ReadAvro>;

class AvroSchemaError extends Error {
  override readonly name = 'AvroSchemaError';
}

/** Builds the reader of a schema and adds its named types to `named`. Checks only what reading needs. */
export function readerOf(schema: unknown, named: NamedTypes, namespace = ''): ReadAvro {
  if (typeof schema === 'string') return primitives.get(schema) ?? namedType(schema, named, namespace);
  if (Array.isArray(schema)) {
    // A union is read as the value of its branch. JSON does not show which branch it was.
    const branches = schema.map((branch) => readerOf(branch, named, namespace));
    return (cursor) => cursor.choice(branches)(cursor);
  }
  if (!isObject(schema)) throw new AvroSchemaError('a type is neither a name, a union nor an object');
  switch (schema['type']) {
    case 'record':
    case 'error':
      return record(schema, named, namespace);
    case 'enum':
      return define(schema, named, namespace, enumeration(schema));
    case 'fixed':
      return define(schema, named, namespace, fixed(schema));
    case 'array':
      return array(readerOf(schema['items'], named, namespace));
    case 'map':
      return map(readerOf(schema['values'], named, namespace));
    default:
      return withLogicalType(schema) ?? readerOf(schema['type'], named, namespace);
  }
}

/** A type that is no name and no union, unchecked. */
type TypeObject = Readonly<Record<string, unknown>>;

const primitives: ReadonlyMap<string, ReadAvro> = new Map<string, ReadAvro>([
  ['null', () => null],
  ['boolean', (cursor) => cursor.boolean()],
  ['int', (cursor) => cursor.int()],
  ['long', (cursor) => plainInteger(cursor.long())],
  ['float', (cursor) => plainNumber(shortestFloat(cursor.float()))],
  ['double', (cursor) => plainNumber(cursor.double())],
  ['bytes', (cursor) => cursor.bytes().toString('base64')],
  ['string', (cursor) => cursor.string()],
]);

function withLogicalType({ type, logicalType, scale }: TypeObject): ReadAvro | undefined {
  const unitsPerMs = timestampUnits.get(logicalType);
  if (type === 'long' && unitsPerMs !== undefined) return (cursor) => isoTimestamp(cursor.long(), unitsPerMs);
  if (type === 'int' && logicalType === 'date') return (cursor) => isoTime(cursor.int() * msPerDay);
  return type === 'bytes' && logicalType === 'decimal' ? decimal(scale) : undefined;
}

function record(schema: TypeObject, named: NamedTypes, namespace: string): ReadAvro {
  const fields: { readonly name: string; readonly read: ReadAvro }[] = [];
  let characters = 0;
  // The type is defined before its fields are read, because a field may be of this type.
  const read = define(schema, named, namespace, (cursor) => {
    cursor.limits.claim(fields.length, characters);
    cursor.limits.enter();
    const value: Record<string, Plain> = {};
    for (const field of fields) value[field.name] = field.read(cursor);
    cursor.limits.leave();
    return value;
  });
  const inner = namespaceOf(fullName(schema, namespace));
  for (const field of listOf(schema['fields'], 'fields')) {
    if (!isObject(field)) throw new AvroSchemaError('a field is no object');
    const name = textOf(field['name'], 'name');
    fields.push({ name: fieldName(name), read: readerOf(field['type'], named, inner) });
    characters += name.length;
  }
  return read;
}

function enumeration(schema: TypeObject): ReadAvro {
  const symbols = listOf(schema['symbols'], 'symbols').map((symbol) => textOf(symbol, 'symbol'));
  return (cursor) => {
    const symbol = cursor.choice(symbols);
    cursor.limits.claim(0, symbol.length);
    return symbol;
  };
}

function fixed({ size, logicalType, scale }: TypeObject): ReadAvro {
  if (!isWholeNumber(size)) throw new AvroSchemaError('a fixed type has no size');
  return logicalType === 'decimal' ? decimal(scale, size) : (cursor) => cursor.bytes(size).toString('base64');
}

function array(readItem: ReadAvro): ReadAvro {
  return (cursor) => {
    const items: Plain[] = [];
    cursor.blocks(() => void items.push(readItem(cursor)));
    return items;
  };
}

function map(readValue: ReadAvro): ReadAvro {
  return (cursor) => {
    const values: Record<string, Plain> = {};
    cursor.blocks(() => void (values[fieldName(cursor.string())] = readValue(cursor)));
    return values;
  };
}

function define(schema: TypeObject, named: NamedTypes, namespace: string, read: ReadAvro): ReadAvro {
  named.set(fullName(schema, namespace), read);
  return read;
}

/** Finds a named type. A name without a dot is looked up in the same namespace first. */
function namedType(name: string, named: NamedTypes, namespace: string): ReadAvro {
  const read = named.get(qualified(name, namespace)) ?? named.get(name);
  if (read === undefined) throw new AvroSchemaError(`there is no type ${name}`);
  return read;
}

function fullName({ name, namespace }: TypeObject, enclosing: string): string {
  return qualified(textOf(name, 'name'), typeof namespace === 'string' ? namespace : enclosing);
}

function qualified(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

function isWholeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new AvroSchemaError(`a type has no ${what}`);
  return value;
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new AvroSchemaError(`a type has no ${what}`);
  return value;
}

/** Units per millisecond, by logical type. Local timestamps count as UTC, like the contract's dates. */
const timestampUnits: ReadonlyMap<unknown, number> = new Map(
  ['', 'local-'].flatMap((prefix) => [
    [`${prefix}timestamp-millis`, 1],
    [`${prefix}timestamp-micros`, 1_000],
    [`${prefix}timestamp-nanos`, 1_000_000],
  ]),
);

/** Returns a reader of big-endian two's complement integers, with `scale` of their digits after the decimal point. */
function decimal(scale: unknown = 0, size?: number): ReadAvro {
  if (!isWholeNumber(scale)) throw new AvroSchemaError('the scale of a decimal is no whole number');
  return (cursor) => {
    const bytes = cursor.bytes(size);
    cursor.limits.claimDecimal(bytes.length, scale);
    const unscaled = bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
    const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
    const point = digits.length - scale;
    const fraction = scale === 0 ? '' : `.${digits.slice(point)}`;
    return JSON.rawJSON(`${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`);
  };
}
