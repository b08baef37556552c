import protobuf from 'protobufjs';
import type { Plain } from '../plain.ts';
import { simplified } from './protobuf-well-known.ts';

type ReadMessage = (type: protobuf.Type, message: object) => Plain;
type ReadValue = (value: unknown) => Plain;

interface FieldReader {
  readonly name: string;
  /** Undefined when the message does not have the field at all. */
  readonly read: (message: object) => Plain | undefined;
}

/** Reads decoded messages, by types that it remembers. */
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

/** As Protobuf's own mapping to JSON has it, but for underscores in front, which the contract's names have. */
function jsonName({ name, options }: protobuf.Field): string {
  const given: unknown = options?.['json_name'];
  if (typeof given === 'string') return given;
  return name.replaceAll(/(?<=[^_])_+([^_]?)/g, (_, next: string) => next.toUpperCase());
}

/** What stands for a field that is not there. One of several alternatives is no field at all. */
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

/** The library keeps keys of 64 bits as their eight bytes. */
function longKeyReader(keyType: string): (key: string) => string {
  const isUnsigned = keyType === 'uint64' || keyType === 'fixed64';
  return (key) => {
    const bytes = Buffer.from(key, 'latin1');
    return String(isUnsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE());
  };
}

function valueReader({ type, resolvedType }: protobuf.Field, readMessage: ReadMessage): ReadValue {
  if (resolvedType instanceof protobuf.Type) return (message) => readMessage(resolvedType, Object(message));
  // A number that the schema has no name for is passed on as it is.
  if (resolvedType instanceof protobuf.Enum) return (value) => resolvedType.valuesById[Number(value)] ?? Number(value);
  if (type.endsWith('64')) return (value) => BigInt(String(value));
  if (type === 'bytes') return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '');
  if (type === 'string') return String;
  return type === 'bool' ? Boolean : Number;
}
