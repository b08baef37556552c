import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { validateRecord } from '../../../src/certificates/certificate-schema.ts';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { renderCertificate } from '../../../src/certificates/render.ts';
import { aCertificateDocument } from '../../support/builders.ts';
import { messageIndexes } from '../../support/registry/framed.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const borders = [7n, 31n, 32n, 49n, 52n, 53n, 56n, 62n].flatMap((bits) => [
  2n ** bits - 1n,
  2n ** bits,
  2n ** bits + 1n,
]);
const long = fc.oneof(
  fc.constantFrom(...borders, ...borders.map((value) => -value), int64.min, int64.max, 0n),
  fc.bigInt(int64),
);
/** The first and last milliseconds of years with four digits, and of all that there are. */
const times = [0n, -62_167_219_200_000n, -62_162_035_200_000n, 253_402_300_800_000n, 8_640_000_000_000_000n];
const time = fc.oneof(
  fc.constantFrom(...times, ...times.map((value) => value - 1n)).filter((value) => value < 8_640_000_000_000_000n),
  fc.bigInt({ min: -8_640_000_000_000_000n, max: 8_640_000_000_000_000n }),
  fc.date({ noInvalidDate: true }).map((date) => BigInt(date.getTime())),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '1',
    '01',
    '__proto__',
    'constructor',
    'toJSON',
    '\uFEFF',
    '\uFFFD',
    '\u0000',
    '\u{1F393}',
    '"',
    '\\udfff',
  ),
);

const iso = (epochMs: bigint): string => JSON.stringify(new Date(Number(epochMs)).toISOString());
const object = (fields: readonly (readonly [name: string, json: string])[]): string =>
  `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** A schema of Avro, the bytes of one of its values, and its JSON. */
interface Example {
  readonly schema: unknown;
  readonly bytes: Buffer;
  readonly json: string;
}

/** A 64-bit integer of Avro, digit by digit. */
function avroLong(value: bigint): Buffer {
  const digits: number[] = [];
  let left = BigInt.asUintN(64, value < 0n ? -2n * value - 1n : 2n * value);
  for (; left > 0x7fn; left >>= 7n) digits.push(Number(left & 0x7fn) | 0x80);
  return Buffer.of(...digits, Number(left));
}

const avroText = (value: string): Buffer =>
  Buffer.concat([avroLong(BigInt(Buffer.byteLength(value))), Buffer.from(value)]);

const timestamps = { millis: 1n, micros: 1000n, nanos: 1_000_000n };
const timestamp = fc
  .tuple(time, fc.constantFrom('millis', 'micros', 'nanos'), fc.bigInt({ min: 0n, max: 999_999n }))
  .map(([epochMs, unit, part]) => ({ epochMs, unit, value: epochMs * timestamps[unit] + (part % timestamps[unit]) }))
  .filter(({ value }) => value >= int64.min && value <= int64.max);

const values: readonly fc.Arbitrary<Example>[] = [
  fc.constant({ schema: 'null', bytes: Buffer.alloc(0), json: 'null' }),
  long.map((value) => ({ schema: 'long', bytes: avroLong(value), json: String(value) })),
  fc.integer().map((value) => ({ schema: 'int', bytes: avroLong(BigInt(value)), json: String(value) })),
  text.map((value) => ({ schema: 'string', bytes: avroText(value), json: JSON.stringify(value) })),
  timestamp.map(({ epochMs, unit, value }) => ({
    schema: { type: 'long', logicalType: `timestamp-${unit}` },
    bytes: avroLong(value),
    json: iso(epochMs),
  })),
  time.map((epochMs) => ({
    schema: { type: 'int', logicalType: 'date' },
    bytes: avroLong(epochMs / 86_400_000n),
    json: iso((epochMs / 86_400_000n) * 86_400_000n),
  })),
];

const { example } = fc.letrec<{ example: Example }>((tie) => ({
  example: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...values,
    fc.tuple(fc.uniqueArray(text, { maxLength: 4 }), tie('example')).map(([keys, { schema, bytes, json }]) => ({
      schema: { type: 'map', values: schema },
      bytes: Buffer.concat([...keys.flatMap((key) => [avroLong(1n), avroText(key), bytes]), avroLong(0n)]),
      json: object(keys.map((key) => [key, json])),
    })),
    fc.uniqueArray(fc.tuple(text, tie('example')), { maxLength: 4, selector: ([name]) => name }).map(recordOf),
    tie('example').map(({ schema, bytes, json }) => ({
      schema: { type: 'array', items: [{ type: 'map', values: 'null' }, schema].flat() },
      bytes: Buffer.concat([avroLong(2n), avroLong(1n), bytes, avroLong(1n), bytes, avroLong(0n)]),
      json: `[${json},${json}]`,
    })),
  ),
}));

function recordOf(fields: readonly (readonly [name: string, field: Example])[]): Example {
  return {
    schema: { type: 'record', name: 'R', fields: fields.map(([name, { schema }]) => ({ name, type: schema })) },
    bytes: Buffer.concat(fields.map(([, { bytes }]) => bytes)),
    json: object(fields.map(([name, { json }]) => [name, json])),
  };
}

describe('a value of Avro', () => {
  it('is the JSON that slow arithmetic gives, in the order of its schema', () => {
    fc.assert(
      fc.property(example, ({ schema, bytes, json }) => {
        expect(readingText(compileSchema(aSchema('AVRO', schema))(bytes))).toBe(json);
      }),
    );
  });
});

const contract = Object.keys(aCertificateDocument());
const dates: ReadonlySet<string> = new Set(['creationDate', 'expires', 'createdAt', 'updatedAt']);
const id = fc.constantFrom('a', 'b').map((value) => ({ schema: 'string', bytes: avroText(value), json: `"${value}"` }));
const listed = (name: string): fc.Arbitrary<Example> => {
  if (['_id', '_userId', '_ownerId'].includes(name)) return id;
  return dates.has(name) ? fc.oneof(...values) : example;
};

it('a certificate has the order of the contract, and what is validated is what is written', () => {
  const names = fc.shuffledSubarray([...contract.filter((name) => name !== 'ruleData'), 'other', '1', '0']);
  const fields = names.chain((all) =>
    fc.tuple(...all.map((name) => listed(name).map((field) => [name, field] as const))),
  );
  fc.assert(
    fc.property(fields, (all) => {
      const { schema, bytes } = recordOf(all);
      const reading = compileSchema(aSchema('AVRO', schema))(bytes);
      const rendered = renderCertificate(reading.kind === 'plain' ? reading.value : null);
      const byName = new Map(all);
      const inOrder = [...contract, ...byName.keys().filter((name) => !contract.includes(name))];
      const written = inOrder.flatMap((name) => {
        const found = byName.get(name)?.json;
        const json = found === '""' && dates.has(name) ? 'null' : found;
        const isUnset = json === 'null' && contract.includes(name) && name !== 'expires';
        return json === undefined || isUnset ? [] : [[name, json] as const];
      });
      expect(rendered.bytes.toString()).toBe(object(written));
      expect(validateRecord(rendered.document)).toEqual(validateRecord(JSON.parse(rendered.bytes.toString())));
    }),
  );
});

it('a message of Protobuf is the JSON that slow arithmetic gives', () => {
  const file = `syntax = "proto3"; import "google/protobuf/timestamp.proto";
    message M { int64 i = 1; uint64 u = 2; sint64 z = 3; sfixed64 f = 4; string s = 5; google.protobuf.Timestamp t = 6;
      repeated int64 r = 7; map<string, int64> m = 8; map<sint64, string> k = 9; }`;
  const { root } = protobuf.parse(file);
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')?.nested ?? {});
  const type = root.lookupType('M');
  const read = compileSchema(aSchema('PROTOBUF', file));
  const key = text.filter((name) => !/^\d/.test(name));
  fc.assert(
    fc.property(long, text, time, fc.integer({ min: 0, max: 999_999 }), key, (integer, string, epochMs, part, name) => {
      const digits = String(integer);
      const ofSecond = ((epochMs % 1000n) + 1000n) % 1000n;
      const t = { seconds: String((epochMs - ofSecond) / 1000n), nanos: Number(ofSecond) * 1_000_000 + part };
      const unsigned = String(BigInt.asUintN(64, integer));
      const numbers = { i: digits, u: unsigned, z: digits, f: digits, r: [digits, digits] };
      const message = type.fromObject({ ...numbers, s: string, t, m: Object.fromEntries([[name, digits]]) });
      const payload = Buffer.concat([messageIndexes(0), type.encode(message).finish(), longEntry(integer)]);
      const [head, tail] = [`{"i":${digits},"u":${unsigned},"z":${digits},"f":${digits}`, object([[digits, '"x"']])];
      const map = object([[name, digits]]);
      expect(readingText(read(payload))).toBe(
        `${head},"s":${JSON.stringify(string)},"t":${iso(epochMs)},"r":[${digits},${digits}],"m":${map},"k":${tail}}`,
      );
    }),
  );
});

/** An entry of the field `k`. Protobuf writes `sint64` as Avro writes a long. */
function longEntry(key: bigint): Buffer {
  const entry = Buffer.concat([Buffer.of(0x08), avroLong(key), Buffer.of(0x12, 1), Buffer.from('x')]);
  return Buffer.concat([Buffer.of(0x4a, entry.length), entry]);
}

it('an entry of Protobuf that lacks its key of 64 bits has the key 0', () => {
  const read = compileSchema(aSchema('PROTOBUF', 'syntax = "proto3"; message M { map<int64, string> m = 1; }'));
  expect(readingText(read(Buffer.from('000a03120161', 'hex')))).toBe('{"m":{"0":"a"}}');
});
