import avro from 'avsc';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileAvro } from '../../../src/certificates/formats/avro.ts';
import { shortestFloat } from '../../../src/certificates/plain.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

/** A schema, one of its values as the encoder takes it, and the expected JSON. */
interface Example {
  readonly schema: avro.Schema;
  readonly value: unknown;
  readonly json: unknown;
}

const primitives: readonly fc.Arbitrary<Example>[] = [
  fc.constant({ schema: 'null', value: null, json: null }),
  fc.boolean().map((value) => ({ schema: 'boolean', value, json: value })),
  fc.integer().map((value) => ({ schema: 'int', value, json: value })),
  // The encoder doubles negative numbers, so it is exact only for half of the range of safe integers.
  fc.integer({ min: -(2 ** 51), max: 2 ** 51 }).map((value) => ({ schema: 'long', value, json: value })),
  fc
    .float({ noNaN: true, noDefaultInfinity: true })
    .map((value) => ({ schema: 'float', value, json: shortestFloat(value) })),
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

it('reads all that another encoder writes', () => {
  fc.assert(
    fc.property(example, ({ schema, value, json }) => {
      const payload = avro.Type.forSchema(schema).toBuffer(value);
      expect(JSON.parse(readingText(compileAvro(aSchema('AVRO', schema))(payload)))).toEqual(withoutMinusZero(json));
    }),
  );
});

it('returns a value or a rejection for any bytes', () => {
  fc.assert(
    fc.property(example, fc.uint8Array({ maxLength: 60 }), ({ schema }, bytes) => {
      const reading = compileAvro(aSchema('AVRO', schema))(Buffer.from(bytes));
      expect(['plain', 'undecodable']).toContain(reading.kind);
    }),
  );
});

let names = 0;

function recordOf(examples: readonly Example[]): Example {
  names += 1;
  const named = examples.map((field, index) => [`f${index}`, field] as const);
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

/** Returns lists of up to three copies of the value. */
function listOf({ schema, value, json }: Example): fc.Arbitrary<Example> {
  return fc.nat({ max: 3 }).map((count) => ({
    schema: { type: 'array', items: schema },
    value: Array(count).fill(value),
    json: Array(count).fill(json),
  }));
}

/** Replaces -0 by 0, because JSON does not distinguish them. */
function withoutMinusZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
