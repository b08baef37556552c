import protobuf from 'protobufjs';
import { shortestFloat, type Plain, type PlainObject } from '../plain.ts';
import { isoTimestamp } from '../certificate-schema.ts';
import { ReadingLimits } from './reading-limits.ts';

type ReadMessage = (type: protobuf.Type, message: object, limits: ReadingLimits) => Plain;
type ReadValue = (value: unknown, limits: ReadingLimits) => Plain;

/** The fields of a message, and the characters that they add to its JSON without being sent. */
interface MessageFields {
  readonly readers: readonly FieldReader[];
  readonly characters: number;
}

interface FieldReader {
  readonly name: string;
  /** Returns undefined when the field is omitted from the JSON. */
  readonly read: (message: object, limits: ReadingLimits) => Plain | undefined;
  /** The characters of its name, and of its text when it is not sent. */
  readonly characters: number;
}

/** Creates a reader of decoded messages. It prepares the fields of each type once. */
export function createMessageReader(): ReadMessage {
  const known = new Map<protobuf.Type, MessageFields>();
  const readMessage: ReadMessage = (type, message, limits) => {
    const fields = known.get(type) ?? fieldsOf(type, readMessage);
    known.set(type, fields);
    limits.claim(fields.readers.length, fields.characters);
    const plain = new Map<string, Plain>();
    for (const { name, read } of fields.readers) {
      const value = read(message, limits);
      if (value !== undefined) plain.set(name, value);
    }
    return simplified(type.fullName, plain);
  };
  return readMessage;
}

function fieldsOf(type: protobuf.Type, readMessage: ReadMessage): MessageFields {
  const readers = type.fieldsArray.map((field) => readerOf(field, readMessage));
  return { readers, characters: readers.reduce((sum, { characters }) => sum + characters, 0) };
}

function readerOf(field: protobuf.Field, readMessage: ReadMessage): FieldReader {
  const readValue = valueReader(field, readMessage);
  const readSet = setReader(field, readValue);
  const unset = unsetValue(field, readValue);
  const name = jsonName(field);
  return {
    name,
    read: (message, limits) =>
      Object.hasOwn(message, field.name) ? readSet(Reflect.get(message, field.name), limits) : unset,
    characters: name.length + (typeof unset === 'string' ? unset.length : 0),
  };
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
  if (isMap(field)) return new Map();
  if (field.repeated) return [];
  if (field.options?.['default'] !== undefined) return readValue(field.defaultValue, new ReadingLimits());
  if (field.partOf !== null && field.options?.['proto3_optional'] !== true) return undefined;
  const knowsUnset = field.resolvedType instanceof protobuf.Type || field.hasPresence;
  return knowsUnset ? null : readValue(field.defaultValue, new ReadingLimits());
}

function setReader(field: protobuf.Field, readValue: ReadValue): ReadValue {
  if (field instanceof protobuf.MapField) return mapReader(field, readValue);
  const read = listOrValueReader(readValue);
  return isMap(field) ? (value, limits) => mapOf(read(value, limits)) : read;
}

/** Clients for Java register a map as a list of messages, which it is on the wire. */
function isMap({ map, repeated, resolvedType }: protobuf.Field): boolean {
  return map || (repeated && resolvedType instanceof protobuf.Type && resolvedType.options?.['map_entry'] === true);
}

function mapOf(entries: Plain): Plain {
  const maps = Array.isArray(entries) ? entries.filter((entry) => entry instanceof Map) : [];
  return new Map(maps.map((entry) => [String(entry.get('key')), entry.get('value') ?? null]));
}

function listOrValueReader(readValue: ReadValue): ReadValue {
  return (value, limits) => {
    if (!Array.isArray(value)) return readValue(value, limits);
    limits.claim(value.length);
    return value.map((element) => readValue(element, limits));
  };
}

function mapReader({ keyType }: protobuf.MapField, readValue: ReadValue): ReadValue {
  const readKey = keyType.endsWith('64') ? longKeyReader(keyType) : String;
  return (value, limits) => {
    const entries = Object.entries(Object(value));
    limits.claim(entries.length);
    return new Map(entries.map(([key, element]) => [readKey(key), readValue(element, limits)] as const));
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

function valueReader({ type, resolvedType }: protobuf.Field, readMessage: ReadMessage): ReadValue {
  if (resolvedType instanceof protobuf.Type)
    return (message, limits) => readMessage(resolvedType, Object(message), limits);
  if (resolvedType instanceof protobuf.Enum) return enumReader(resolvedType);
  if (type.endsWith('64')) return (value) => BigInt(String(value));
  if (type === 'bytes') return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '');
  if (type === 'string') return String;
  if (type === 'float') return (value) => shortestFloat(Number(value));
  return type === 'bool' ? Boolean : Number;
}

/** Returns the simple value of a well-known type, such as a timestamp. For other messages, returns their fields. */
function simplified(fullName: string, fields: PlainObject): Plain {
  const simplify = wellKnown.get(fullName);
  return simplify === undefined ? fields : simplify(fields);
}

const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

const wellKnown: ReadonlyMap<string, (fields: PlainObject) => Plain> = new Map([
  ['.google.protobuf.Timestamp', timestamp],
  ...wrapped.map((name) => [`.google.protobuf.${name}Value`, fieldNamed('value')] as const),
  ['.google.protobuf.Struct', fieldNamed('fields')],
  ['.google.protobuf.ListValue', fieldNamed('values')],
  ['.google.protobuf.Value', anyValue],
]);

function fieldNamed(name: string): (fields: PlainObject) => Plain {
  return (fields) => fields.get(name) ?? null;
}

function timestamp(fields: PlainObject): Plain {
  const [seconds, nanos] = [fields.get('seconds'), fields.get('nanos')];
  if (typeof seconds !== 'bigint' || typeof nanos !== 'number') return fields;
  return isoTimestamp(seconds * 1_000_000_000n + BigInt(nanos), 1_000_000n);
}

/** Returns the alternative that is set, or null when none is. */
function anyValue(fields: PlainObject): Plain {
  const [[name, value] = ['nullValue', null]] = fields;
  return name === 'nullValue' ? null : value;
}
