import protobuf from 'protobufjs';
import type { Plain } from '../plain.ts';
import { simplified } from './protobuf-well-known.ts';
import { shortestFloat } from './shortest-float.ts';

type ReadMessage = (type: protobuf.Type, message: object) => Plain;
type ReadValue = (value: unknown) => Plain;

interface FieldReader {
  readonly name: string;
  /** Returns undefined when the field is omitted from the JSON. */
  readonly read: (message: object) => Plain | undefined;
}

/** Creates a reader of decoded messages. It prepares the fields of each type once. */
export function createMessageReader(): ReadMessage {
  const known = new Map<protobuf.Type, readonly FieldReader[]>();
  const readMessage: ReadMessage = (type, message) => {
    const fields = known.get(type) ?? type.fieldsArray.map((field) => readerOf(field, readMessage));
    known.set(type, fields);
    const plain = new Map<string, Plain>();
    for (const { name, read } of fields) {
      const value = read(message);
      if (value !== undefined) plain.set(name, value);
    }
    return simplified(type.fullName, plain);
  };
  return readMessage;
}

function readerOf(field: protobuf.Field, readMessage: ReadMessage): FieldReader {
  const readValue = valueReader(field, readMessage);
  const readSet = field instanceof protobuf.MapField ? mapReader(field, readValue) : listOrValueReader(readValue);
  const unset = unsetValue(field, readValue);
  return {
    name: jsonName(field),
    read: (message) => (Object.hasOwn(message, field.name) ? readSet(Reflect.get(message, field.name)) : unset),
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
  if (field.map) return new Map();
  if (field.repeated) return [];
  if (field.options?.['default'] !== undefined) return readValue(field.defaultValue);
  if (field.partOf !== null && field.options?.['proto3_optional'] !== true) return undefined;
  const knowsUnset = field.resolvedType instanceof protobuf.Type || field.hasPresence;
  return knowsUnset ? null : readValue(field.defaultValue);
}

function listOrValueReader(readValue: ReadValue): ReadValue {
  return (value) => (Array.isArray(value) ? value.map(readValue) : readValue(value));
}

function mapReader({ keyType }: protobuf.MapField, readValue: ReadValue): ReadValue {
  const readKey = keyType.endsWith('64') ? longKeyReader(keyType) : String;
  return (value) =>
    new Map(Object.entries(Object(value)).map(([key, element]) => [readKey(key), readValue(element)] as const));
}

/** Returns a reader of 64-bit keys, which the library represents as eight bytes. */
function longKeyReader(keyType: string): (key: string) => string {
  const isUnsigned = keyType === 'uint64' || keyType === 'fixed64';
  return (key) => {
    const bytes = Buffer.from(key, 'latin1');
    return String(isUnsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE());
  };
}

function valueReader({ type, resolvedType }: protobuf.Field, readMessage: ReadMessage): ReadValue {
  if (resolvedType instanceof protobuf.Type) return (message) => readMessage(resolvedType, Object(message));
  // A number without a name in the schema is passed on unchanged.
  if (resolvedType instanceof protobuf.Enum) return (value) => resolvedType.valuesById[Number(value)] ?? Number(value);
  if (type.endsWith('64')) return (value) => BigInt(String(value));
  if (type === 'bytes') return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '');
  if (type === 'string') return String;
  if (type === 'float') return (value) => shortestFloat(Number(value));
  return type === 'bool' ? Boolean : Number;
}
