import protobuf from 'protobufjs';
import { fieldName, plainInteger, plainNumber, shortestFloat, toJson, type Plain, type PlainObject } from '../plain.ts';
import { isObject } from '../../lib/strict-json.ts';
import { isoTime } from '../certificate-schema.ts';
import { ReadingLimits } from './reading-limits.ts';

/** Reads a decoded message. Its own properties are the fields that were sent. */
type ReadMessage = (message: Readonly<Record<string, unknown>>, limits: ReadingLimits) => Plain;
type ReadValue = (value: unknown, limits: ReadingLimits) => Plain;
type ReaderOf = (type: protobuf.Type) => ReadMessage;

interface FieldReader {
  /** Its name in the decoded message, and in the JSON. */
  readonly key: string;
  readonly name: string;
  readonly read: ReadValue;
  /** Its value when it is not sent. Undefined when it is omitted from the JSON. */
  readonly unset: Plain | undefined;
  /** The characters of its name, and of its text when it is not sent. */
  readonly characters: number;
}

/** Creates the readers of decoded messages. They prepare the fields of each type once. */
export function createMessageReaders(): ReaderOf {
  const known = new Map<protobuf.Type, ReadMessage>();
  return function readerOf(type) {
    const read = known.get(type) ?? messageReader(type, readerOf);
    known.set(type, read);
    return read;
  };
}

function messageReader(type: protobuf.Type, readerOf: ReaderOf): ReadMessage {
  const fields = type.fieldsArray.map((field) => fieldReader(field, valueReader(field, readerOf)));
  const characters = fields.reduce((sum, field) => sum + field.characters, 0);
  const simplify = wellKnown.get(type.fullName);
  return (message, limits) => {
    limits.claim(fields.length, characters);
    const plain: Record<string, Plain> = {};
    for (const { key, name, read, unset } of fields) {
      const value = Object.hasOwn(message, key) ? read(message[key], limits) : unset;
      if (value !== undefined) plain[name] = value;
    }
    return simplify === undefined ? plain : simplify(plain);
  };
}

function fieldReader(field: protobuf.Field, readValue: ReadValue): FieldReader {
  const [name, unset] = [jsonName(field), unsetValue(field, readValue)];
  const characters = name.length + (typeof unset === 'string' ? unset.length : 0);
  return { key: field.name, name: fieldName(name), read: setReader(field, readValue), unset, characters };
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
  if (isMap(field)) return {};
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
  return isMap(field) ? (value, limits) => mapOf(readList(value, limits)) : readList;
}

/** Clients for Java register a map as a list of messages, which it is on the wire. */
function isMap({ map, repeated, resolvedType }: protobuf.Field): boolean {
  return map || (repeated && resolvedType instanceof protobuf.Type && resolvedType.options?.['map_entry'] === true);
}

function mapOf(entries: readonly Plain[]): Plain {
  const objects = entries.filter((entry) => isObject(entry));
  return Object.fromEntries(objects.map(({ key = null, value = null }) => [fieldName(keyText(key)), value]));
}

function keyText(key: Plain): string {
  return typeof key === 'string' ? key : toJson(key);
}

function listReader(readValue: ReadValue): (value: unknown, limits: ReadingLimits) => readonly Plain[] {
  return (value, limits) => {
    const elements: readonly unknown[] = Array.isArray(value) ? value : [];
    limits.claim(elements.length);
    return elements.map((element) => readValue(element, limits));
  };
}

function mapReader({ keyType }: protobuf.MapField, readValue: ReadValue): ReadValue {
  const isUnsigned = keyType === 'uint64' || keyType === 'fixed64';
  // The library represents a key of 64 bits as eight characters.
  const readKey = (key: string): string =>
    keyType.endsWith('64') && key.length === 8 ? keyText(longOf(protobuf.util.longFromHash(key, isUnsigned))) : key;
  return (value, limits) => {
    const entries = Object.entries(Object(value));
    limits.claim(entries.length);
    return Object.fromEntries(entries.map(([key, element]) => [fieldName(readKey(key)), readValue(element, limits)]));
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
  if (resolvedType instanceof protobuf.Type)
    return (message, limits) => readerOf(resolvedType)(Object(message), limits);
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
  const [upper, lower] = [unsigned ? high >>> 0 : high, low >>> 0];
  const number = upper * 2 ** 32 + lower;
  return plainInteger(Number.isSafeInteger(number) ? number : (BigInt(upper) << 32n) + BigInt(lower));
}

const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

/** How the messages of types such as `Timestamp` become simple values. */
const wellKnown: ReadonlyMap<string, (fields: PlainObject) => Plain> = new Map([
  ['.google.protobuf.Timestamp', timestamp],
  ...wrapped.map((name) => [`.google.protobuf.${name}Value`, fieldNamed('value')] as const),
  ['.google.protobuf.Struct', fieldNamed('fields')],
  ['.google.protobuf.ListValue', fieldNamed('values')],
  ['.google.protobuf.Value', anyValue],
]);

function fieldNamed(name: string): (fields: PlainObject) => Plain {
  return (fields) => fields[name] ?? null;
}

function timestamp(fields: PlainObject): Plain {
  const { seconds, nanos } = fields;
  if (JSON.isRawJSON(seconds)) throw new RangeError('a timestamp is out of range');
  if (typeof seconds !== 'number' || typeof nanos !== 'number') return fields;
  return isoTime(seconds * 1000 + Math.floor(nanos / 1_000_000));
}

/** Returns the alternative that is set, or null when none is. */
function anyValue(fields: PlainObject): Plain {
  const [[name, value] = ['nullValue', null]] = Object.entries(fields);
  return name === 'nullValue' ? null : value;
}
