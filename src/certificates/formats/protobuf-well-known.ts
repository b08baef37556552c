import type { Plain, PlainObject } from '../plain.ts';
import { isoTimestamp } from './iso-time.ts';

/** Returns the simple value of a well-known type, such as a timestamp. For other messages, returns their fields. */
export function simplified(fullName: string, fields: PlainObject): Plain {
  const simplify = wellKnown.get(fullName);
  return simplify === undefined ? fields : simplify(fields);
}

const wrapped = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'];

const wellKnown: ReadonlyMap<string, (fields: PlainObject) => Plain> = new Map([
  ['.google.protobuf.Timestamp', timestamp],
  ...wrapped.map((name) => [`.google.protobuf.${name}Value`, field('value')] as const),
  ['.google.protobuf.Struct', field('fields')],
  ['.google.protobuf.ListValue', field('values')],
  ['.google.protobuf.Value', anyValue],
]);

function field(name: string): (fields: PlainObject) => Plain {
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
