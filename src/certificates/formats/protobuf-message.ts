import protobuf from 'protobufjs';
import {
  fieldOf,
  fieldsOf,
  isPlainObject,
  plainInteger,
  plainNumber,
  plainObject,
  shortestFloat,
  type Plain,
  type PlainObject,
} from '../plain.ts';
import { isoTime } from '../certificate-schema.ts';
import { ReadingLimits } from './reading-limits.ts';
import { RecordFields } from './record-fields.ts';

type ReadValue = (value: unknown, limits: ReadingLimits) => Plain;
type ReaderOf = (type: protobuf.Type) => ReadValue;

/** Creates the readers of decoded messages. They prepare the fields of each type once. */
export function createMessageReaders(): ReaderOf {
  const known = new Map<protobuf.Type, ReadValue>();
  return function readerOf(type) {
    const read = known.get(type) ?? messageReader(type, readerOf);
    known.set(type, read);
    return read;
  };
}

function messageReader(type: protobuf.Type, readerOf: ReaderOf): ReadValue {
  const fields = new RecordFields<unknown>();
  for (const field of type.fieldsArray) addField(fields, field, valueReader(field, readerOf));
  const simplify = wellKnown.get(type.fullName);
  if (simplify === undefined) return (message, limits) => fields.read(message, limits);
  return (message, limits) => simplify(fields.read(message, limits));
}

function addField(fields: RecordFields<unknown>, field: protobuf.Field, readValue: ReadValue): void {
  const { name } = field;
  const readSet = setReader(field, readValue);
  const unset = unsetValue(field, readValue);
  fields.add(
    jsonName(field),
    (message, limits) => (Object.hasOwn(Object(message), name) ? readSet(Reflect.get(Object(message), name), limits) : unset),
    typeof unset === 'string' ? unset.length : 0,
  );
}

/** Returns the name that Protobuf's JSON mapping uses, but keeps leading underscores, which the contract's names have. */
function jsonName(field: protobuf.Field): string {
  const { name, options } = field;
  const configured: unknown = options?.['json_name'];
  if (typeof configured === 'string') return configured;
  // Descriptors of some compilers hold the default name of each field.
  if (field.jsonName !== undefined && field.jsonName !== protobuf.util.jsonName(name)) return field.jsonName;
  return name.replaceAll(/(?<=[^_])_+([^_]?)/g, (_, next: string) => next.toUpperCase());
}

/** Returns the value of an absent field. Undefined for an alternative of a `oneof`, which is omitted. */
function unsetValue(field: protobuf.Field, readValue: ReadValue): Plain | undefined {
  if (isMapField(field)) return {};
  if (field.repeated) return [];
  if (field.options?.['default'] !== undefined) return readValue(field.defaultValue, new ReadingLimits());
  if (field.partOf !== null && field.options?.['proto3_optional'] !== true) return undefined;
  const knowsUnset = field.resolvedType instanceof protobuf.Type || field.hasPresence;
  return knowsUnset ? null : readValue(field.defaultValue, new ReadingLimits());
}

function setReader(field: protobuf.Field, readValue: ReadValue): ReadValue {
  if (field instanceof protobuf.MapField) return mapReader(field, readValue);
  if (!field.repeated) return readValue;
  const readList = listReader(readValue);
  return isMapField(field) ? (value, limits) => mapOf(readList(value, limits)) : readList;
}

/** Clients for Java register a map as a list of messages, which it is on the wire. */
function isMapField({ map, repeated, resolvedType }: protobuf.Field): boolean {
  return map || (repeated && resolvedType instanceof protobuf.Type && resolvedType.options?.['map_entry'] === true);
}

function mapOf(entries: readonly Plain[]): Plain {
  const objects = entries.filter(isPlainObject);
  return plainObject(new Map(objects.map((entry) => [String(fieldOf(entry, 'key')), fieldOf(entry, 'value') ?? null])));
}

function listReader(readValue: ReadValue): (value: unknown, limits: ReadingLimits) => readonly Plain[] {
  return (value, limits) => {
    const elements: readonly unknown[] = Array.isArray(value) ? value : [];
    limits.claim(elements.length);
    return elements.map((element) => readValue(element, limits));
  };
}

function mapReader({ keyType }: protobuf.MapField, readValue: ReadValue): ReadValue {
  const readKey = keyType.endsWith('64') ? longKeyReader(keyType) : String;
  return (value, limits) => {
    const entries = Object.entries(Object(value));
    limits.claim(entries.length);
    return plainObject(new Map(entries.map(([key, element]) => [readKey(key), readValue(element, limits)])));
  };
}

/** Returns a reader of 64-bit keys, which the library represents as eight bytes. */
function longKeyReader(keyType: string): (key: string) => string {
  const isUnsigned = keyType === 'uint64' || keyType === 'fixed64';
  return (key) => {
    const bytes = Buffer.from(key, 'latin1');
    return String(isUnsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE());
  };
}

/** Returns a reader of names. A number without a name in the schema is passed on unchanged. */
function enumReader({ valuesById }: protobuf.Enum): ReadValue {
  return (value, limits) => {
    const name = valuesById[Number(value)];
    limits.claim(0, name?.length ?? 0);
    return name ?? Number(value);
  };
}

function valueReader({ type, resolvedType }: protobuf.Field, readerOf: ReaderOf): ReadValue {
  if (resolvedType instanceof protobuf.Type) return (message, limits) => readerOf(resolvedType)(message, limits);
  if (resolvedType instanceof protobuf.Enum) return enumReader(resolvedType);
  if (type.endsWith('64')) return longOf;
  if (type === 'bytes') return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '');
  if (type === 'string') return String;
  if (type === 'float') return (value) => plainNumber(shortestFloat(Number(value)));
  return type === 'bool' ? Boolean : (value) => plainNumber(Number(value));
}

/** Returns a 64-bit integer. */
function longOf(value: unknown): Plain {
  if (!(value instanceof protobuf.util.Long)) return Number(value);
  const { high, low, unsigned } = value;
  const number = (unsigned ? high >>> 0 : high) * 2 ** 32 + (low >>> 0);
  return plainInteger(Number.isSafeInteger(number) ? number : BigInt(String(value)));
}

const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

/** Returns the simple value of a well-known type, such as a timestamp. */
type Simplify = (fields: PlainObject) => Plain;

const wellKnown: ReadonlyMap<string, Simplify> = new Map([
  ['.google.protobuf.Timestamp', timestamp],
  ...wrapped.map((name) => [`.google.protobuf.${name}Value`, fieldNamed('value')] as const),
  ['.google.protobuf.Struct', fieldNamed('fields')],
  ['.google.protobuf.ListValue', fieldNamed('values')],
  ['.google.protobuf.Value', anyValue],
]);

function fieldNamed(name: string): Simplify {
  return (fields) => fieldOf(fields, name) ?? null;
}

function timestamp(fields: PlainObject): Plain {
  const [seconds, nanos] = [fieldOf(fields, 'seconds'), fieldOf(fields, 'nanos')];
  if (JSON.isRawJSON(seconds)) throw new RangeError('a timestamp is out of range');
  if (typeof seconds !== 'number' || typeof nanos !== 'number') return fields;
  return isoTime(seconds * 1000 + Math.floor(nanos / 1_000_000));
}

/** Returns the alternative that is set, or null when none is. */
function anyValue(fields: PlainObject): Plain {
  const [[name, value] = ['nullValue', null]] = fieldsOf(fields);
  return name === 'nullValue' ? null : value;
}
