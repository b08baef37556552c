import type { ByteReader, ByteWriter } from './bytes.ts';

/** A field of Kafka's protocol, https://kafka.apache.org/protocol.html#protocol_types */
export interface Field<Value> {
  readonly read: (reader: ByteReader) => Value;
  readonly write: (writer: ByteWriter, value: Value) => void;
}

function integer(bytes: 1 | 2 | 4): Field<number> {
  return {
    read: (reader) => reader.take(bytes).readIntBE(0, bytes),
    write: (writer, value) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeIntBE(value, 0, bytes);
      writer.put(buffer);
    },
  };
}

export const int8 = integer(1);
export const int16 = integer(2);
export const int32 = integer(4);

/** Offsets and times. All of them are safe integers here. */
export const int64: Field<number> = {
  read: (reader) => Number(reader.take(8).readBigInt64BE()),
  write: (writer, value) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64BE(BigInt(value));
    writer.put(buffer);
  },
};

export const boolean: Field<boolean> = {
  read: (reader) => int8.read(reader) !== 0,
  write: (writer, value) => int8.write(writer, value ? 1 : 0),
};

/** A length or a count that may be -1, for null. */
type Length = Field<number>;

/** Lengths of the flexible versions (KIP-482), which count from one. */
const compactLength: Length = {
  read: (reader) => reader.varint() - 1,
  write: (writer, value) => void writer.varint(value + 1),
};

function nullableBytesOf(length: Length): Field<Buffer | null> {
  return {
    read: (reader) => {
      const count = length.read(reader);
      return count < 0 ? null : reader.take(count);
    },
    write: (writer, value) => {
      length.write(writer, value?.length ?? -1);
      if (value !== null) writer.put(value);
    },
  };
}

function nullableStringOf(length: Length): Field<string | null> {
  const { read, write } = nullableBytesOf(length);
  return {
    read: (reader) => read(reader)?.toString() ?? null,
    write: (writer, value) => write(writer, value === null ? null : Buffer.from(value)),
  };
}

/** Reads null as `empty`. */
function required<Value>({ read, write }: Field<Value | null>, empty: Value): Field<Value> {
  return { read: (reader) => read(reader) ?? empty, write };
}

export const nullableBytes = nullableBytesOf(int32);
export const bytes = required(nullableBytes, Buffer.alloc(0));
export const nullableString = nullableStringOf(int16);
export const string = required(nullableString, '');
export const compactNullableString = nullableStringOf(compactLength);
export const compactString = required(compactNullableString, '');

/** A topic's id, as 32 hexadecimal digits. */
export const uuid: Field<string> = {
  read: (reader) => reader.take(16).toString('hex'),
  write: (writer, value) => void writer.put(Buffer.from(value, 'hex')),
};

function nullableArrayOf<Item>(length: Length, item: Field<Item>): Field<readonly Item[] | null> {
  return {
    read: (reader) => {
      const count = length.read(reader);
      return count < 0 ? null : Array.from({ length: count }, () => item.read(reader));
    },
    write: (writer, value) => {
      length.write(writer, value?.length ?? -1);
      value?.forEach((one) => item.write(writer, one));
    },
  };
}

export function nullableArray<Item>(item: Field<Item>): Field<readonly Item[] | null> {
  return nullableArrayOf(int32, item);
}

export function array<Item>(item: Field<Item>): Field<readonly Item[]> {
  return required(nullableArray(item), []);
}

export function compactNullableArray<Item>(item: Field<Item>): Field<readonly Item[] | null> {
  return nullableArrayOf(compactLength, item);
}

export function compactArray<Item>(item: Field<Item>): Field<readonly Item[]> {
  return required(compactNullableArray(item), []);
}

/** Fields one after the other, in the order in which they are listed. */
export function struct<Value extends object>(fields: {
  readonly [Name in keyof Value]: Field<Value[Name]>;
}): Field<Value> {
  const names = Object.keys(fields) as (keyof Value)[];
  return {
    read: (reader) => Object.fromEntries(names.map((name) => [name, fields[name].read(reader)])) as Value,
    write: (writer, value) => names.forEach((name) => fields[name].write(writer, value[name])),
  };
}

/** Fields of a flexible version, followed by tagged fields. Clients that we serve send none. */
export function flexible<Value extends object>(fields: {
  readonly [Name in keyof Value]: Field<Value[Name]>;
}): Field<Value> {
  const { read, write } = struct<Value>(fields);
  return {
    read: (reader) => {
      const value = read(reader);
      if (reader.varint() > 0) throw new RangeError('a request has tagged fields');
      return value;
    },
    write: (writer, value) => {
      write(writer, value);
      writer.varint(0);
    },
  };
}

/** An answer with the time in ms for which the client is throttled in front: none. */
export function unthrottled<Value>({ read, write }: Field<Value>): Field<Value> {
  return {
    read: (reader) => {
      int32.read(reader);
      return read(reader);
    },
    write: (writer, value) => {
      int32.write(writer, 0);
      write(writer, value);
    },
  };
}
