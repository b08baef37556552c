import * as fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { renderCertificate } from '../../../src/certificates/render.ts';
import { aSchema } from '../../support/registry/schemas.ts';
import { costAgainst } from '../../support/time/processor-time.ts';

const megabyte = 1_000_000;
const tooManyValues = 'the value is too complex: it has more than 50000 values';
const tooManyFields = 'the value is too complex: it has more than 200000 fields';
const tooManyCharacters = 'the value is too complex: its names and digits have more than 4194304 characters';
const tooManyDigits = 'the value is too complex: a decimal has more than 1000 digits';
const tooDeep = 'the value is too complex: it is nested more than 100 deep';

/** A base-128 number, the lowest digit first. */
function varint(number: number): Buffer {
  const low = number % 128;
  return number < 128 ? Buffer.of(low) : Buffer.concat([Buffer.of(low + 128), varint(Math.floor(number / 128))]);
}

/** A positive integer of Avro. */
const long = (number: number): Buffer => varint(number * 2);

/** A list of Avro whose elements are these bytes. */
const list = (length: number, elements: Buffer): Buffer => Buffer.concat([long(length), elements, Buffer.of(0)]);

/** Messages of Protobuf after the index of the first message. */
const messages = (...parts: readonly Buffer[]): Buffer => Buffer.concat([Buffer.of(0), ...parts]);

/** A field of Protobuf with a length. */
const field = (id: number, bytes: Buffer): Buffer => Buffer.concat([varint(id * 8 + 2), varint(bytes.length), bytes]);

const decimal = (scale: number) => ({ type: 'bytes', logicalType: 'decimal', precision: 4, scale });
const listOf = (items: unknown) => ({ type: 'array', items });
const record = (name: string, types: readonly unknown[]) => ({
  type: 'record',
  name,
  fields: types.map((type, index) => ({ name: `f${index}`, type })),
});
const proto = (fields: string): string =>
  `syntax = "proto3"; message M { ${fields} } message I { int32 x = 1; M m = 2; }`;

/** Returns the JSON of a record, or the reason why there is none. */
function read(type: string, schema: unknown, payload: Buffer): string {
  const result = compileSchema(aSchema(type, schema))(payload);
  if (result.kind === 'undecodable') return result.message;
  return result.kind === 'plain' ? renderCertificate(result.value).bytes.toString() : 'json';
}

const mapOf = (values: unknown) => ({ type: 'map', values });
const tenNulls = record('R', Array(10).fill('null'));
const longSymbol = { type: 'enum', name: 'E', symbols: ['S'.repeat(1000)] };

describe('a record of Avro', () => {
  it.each<readonly [what: string, schema: unknown, payload: Buffer, reason: string]>([
    ['a decimal of 900 KB', decimal(0), list(900_000, Buffer.alloc(900_000, 0x5a)), tooManyDigits],
    ['a scale of 400,000,000', decimal(4e8), Buffer.of(2, 1), tooManyDigits],
    [
      '50,000 decimals of 1 KB',
      listOf(decimal(1000)),
      list(50_000, Buffer.alloc(100_000, Buffer.of(2, 1))),
      tooManyCharacters,
    ],
    ['a million integers', listOf('int'), list(megabyte, Buffer.alloc(megabyte)), tooManyValues],
    ['4,000,000,000 elements in five bytes', listOf('null'), Buffer.from('80a0d9e61d', 'hex'), tooManyValues],
    ['countless elements', listOf('null'), Buffer.from('feffffffffffffffff01', 'hex'), tooManyValues],
    ['5,000 empty records of ten nulls', listOf(tenNulls), list(5000, Buffer.of()), tooManyValues],
    ['30,000 symbols of 1 KB', listOf(longSymbol), list(30_000, Buffer.alloc(30_000)), tooManyCharacters],
    ['lists in lists in lists', nest(101, listOf), Buffer.alloc(202, Buffer.of(2)), tooDeep],
    ['maps in maps in maps', nest(101, mapOf), Buffer.alloc(500, Buffer.of(2, 0)), tooDeep],
  ])('is undecodable at once with %s', (_what, schema, payload, reason) => {
    expectAtOnce(() => expect(read('AVRO', schema, payload)).toBe(reason));
  });

  it('is read up to the limits', () => {
    expect(read('AVRO', listOf('int'), list(50_000, Buffer.alloc(50_000)))).toHaveLength(100_001);
    expect(read('AVRO', decimal(1000), Buffer.of(2, 1))).toHaveLength(1002);
    expect(read('AVRO', nest(100, listOf), Buffer.concat([Buffer.alloc(100, 2), Buffer.alloc(100)]))).toHaveLength(204);
  });

  it('costs what its values cost, when types contain each other many times over', () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(shapes, (repeats) => {
        let schema: unknown = 'null';
        let values = 0;
        for (const [level, repeat] of repeats.entries()) {
          const name = `L${level}`;
          const again = level === 0 ? 'null' : `L${level - 1}`;
          schema = record(name, [schema, ...Array(repeat - 1).fill(again)]);
          values = repeat * (1 + values);
        }
        const found = read('AVRO', schema, Buffer.alloc(0));
        expect(found === tooManyValues).toBe(values > 50_000);
        expect(found).toMatch(values > 50_000 ? /^the value is too complex/ : /^\{.*\}$/);
      }),
    );
  });

  it('can not be read with a scale that is no whole number', () => {
    for (const scale of [-1, 0.5, '2', null]) {
      expect(read('AVRO', { ...decimal(0), scale }, Buffer.of(2, 1))).toContain(
        'the scale of a decimal is no whole number',
      );
    }
  });
});

describe('a record of Protobuf', () => {
  const entries = Array.from({ length: 60_000 }, (_, key) =>
    field(1, Buffer.concat([Buffer.of(8), varint(key), Buffer.of(16, 1)])),
  );
  const millionPacked = messages(field(1, Buffer.alloc(megabyte, 1)));
  const enumeration = 'repeated E e = 1; enum E { LONG = 0; }'.replace('LONG', 'S'.repeat(1000));

  it.each<readonly [what: string, fields: string, payload: Buffer, reason: string]>([
    ['a million packed integers', 'repeated int64 i = 1;', millionPacked, tooManyFields],
    ['a million packed booleans', 'repeated bool b = 1;', millionPacked, tooManyValues],
    ['30,000 empty messages', 'repeated I i = 1;', messages(Buffer.alloc(60_000, Buffer.of(10, 0))), tooManyValues],
    ['500,000 unknown fields', 'int32 i = 1;', messages(Buffer.alloc(megabyte, Buffer.of(0x18, 0))), tooManyFields],
    ['30,000 names of 1 KB', enumeration, messages(field(1, Buffer.alloc(30_000))), tooManyCharacters],
    ['60,000 entries', 'map<int32, int32> m = 1;', messages(...entries), tooManyValues],
    ['messages in messages in messages', 'I i = 1;', messages(nestedMessages(120)), tooDeep],
  ])('is undecodable at once with %s', (_what, fields, payload, reason) => {
    expectAtOnce(() => expect(read('PROTOBUF', proto(fields), payload)).toBe(reason));
  });

  it('is undecodable at once with 10,000 messages whose unset fields have long defaults', () => {
    const schema = `syntax = "proto2"; message M { repeated I i = 1; } message I { optional string s = 1 [default = "${'x'.repeat(1000)}"]; }`;
    const payload = messages(Buffer.alloc(20_000, Buffer.of(10, 0)));
    expectAtOnce(() => expect(read('PROTOBUF', schema, payload)).toBe(tooManyCharacters));
  });

  it('is read up to the limits', () => {
    const payload = messages(field(1, Buffer.alloc(49_999, 1)));
    expect(read('PROTOBUF', proto('repeated int64 i = 1;'), payload)).toMatch(/^\{"i":\[1,.*,1\]\}$/);
  });
});

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  return depth === 0 ? 'null' : wrap(nest(depth - 1, wrap));
}

function nestedMessages(depth: number): Buffer {
  const writer = protobuf.Writer.create();
  let bytes = writer.finish();
  for (let level = depth; level > 0; level -= 1) bytes = field(level % 2 === 1 ? 1 : 2, Buffer.from(bytes));
  return Buffer.from(bytes);
}

/** Expects that reading takes about as long as a value at the limits: far less than all that the value asks for. */
function expectAtOnce(act: () => void): void {
  const atLimits = compileSchema(aSchema('AVRO', listOf('int')));
  const value = list(50_000, Buffer.alloc(50_000));
  expect(costAgainst(() => void atLimits(value), act)).toBeLessThan(50);
}
