import avro from 'avsc';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileAvro } from '../../../src/certificates/formats/avro.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

/** A schema and a value of it, as the encoder and as JSON have it. */
interface Example {
  readonly schema: avro.Schema;
  readonly value: unknown;
  readonly json: unknown;
}

const primitives: readonly fc.Arbitrary<Example>[] = [
  fc.constant({ schema: 'null', value: null, json: null }),
  fc.boolean().map((value) => ({ schema: 'boolean', value, json: value })),
  fc.integer().map((value) => ({ schema: 'int', value, json: value })),
  // The encoder doubles negative numbers, and is exact for half of the whole numbers that a double can hold.
  fc.integer({ min: -(2 ** 51), max: 2 ** 51 }).map((value) => ({ schema: 'long', value, json: value })),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: 'float', value, json: value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: 'double', value, json: value })),
  fc.string({ unit: 'grapheme' }).map((value) => ({ schema: 'string', value, json: value })),
  fc
    .uint8Array({ maxLength: 20 })
    .map((bytes) => Buffer.from(bytes))
    .map((value) => ({ schema: 'bytes', value, json: value.toString('base64') })),
];

const { example } = fc.letrec<{ example: Example }>((tie) => ({
  example: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...primitives,
    fc.array(tie('example'), { maxLength: 4 }).map(recordOf),
    tie('example').chain(listOf),
  ),
}));

it('reads whatever another program writes', () => {
  fc.assert(
    fc.property(example, ({ schema, value, json }) => {
      const payload = avro.Type.forSchema(schema).toBuffer(value);
      expect(JSON.parse(readingText(compileAvro(aSchema('AVRO', schema))(payload)))).toEqual(withoutMinusZero(json));
    }),
  );
});

it('makes neither more nor less of bytes that are anything', () => {
  fc.assert(
    fc.property(example, fc.uint8Array({ maxLength: 60 }), ({ schema }, bytes) => {
      const reading = compileAvro(aSchema('AVRO', schema))(Buffer.from(bytes));
      expect(['plain', 'undecodable']).toContain(reading.kind);
    }),
  );
});

let names = 0;

function recordOf(parts: readonly Example[]): Example {
  names += 1;
  const named = parts.map((part, index) => [`f${index}`, part] as const);
  return {
    schema: {
      type: 'record',
      name: `R${names}`,
      fields: named.map(([name, { schema }]) => ({ name, type: schema as string })),
    },
    value: Object.fromEntries(named.map(([name, { value }]) => [name, value])),
    json: Object.fromEntries(named.map(([name, { json }]) => [name, json])),
  };
}

/** The same value again and again, or none at all. */
function listOf({ schema, value, json }: Example): fc.Arbitrary<Example> {
  return fc.nat({ max: 3 }).map((count) => ({
    schema: { type: 'array', items: schema },
    value: Array(count).fill(value),
    json: Array(count).fill(json),
  }));
}

/** JSON has one zero. */
function withoutMinusZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
