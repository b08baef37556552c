import { expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';
import { costAgainst } from '../../support/time/processor-time.ts';

it.each([
  ['AVRO', 'int', '02', '1'],
  ['JSON', { type: 'number' }, '31', '1'],
  ['PROTOBUF', 'syntax = "proto3"; message M { int32 f = 1; }', '000801', '{"f":1}'],
])('reads %s', (type, schema, hex, json) => {
  expect(readingText(compileSchema(aSchema(type, schema))(Buffer.from(hex, 'hex')))).toBe(json);
});

const fields = (count: number): string =>
  `syntax = "proto3"; message M { ${Array.from({ length: count }, (_, id) => `int32 f${id} = ${id + 1};`).join('')} }`;

it.each([
  ['AVRO', JSON.stringify('x'.repeat(1024 * 1024)), 'it has more than 1048576 characters with its references'],
  ['PROTOBUF', fields(30_000), 'it defines more than 3000 fields and values'],
  ['PROTOBUF', Buffer.alloc(30_000).toString('base64'), 'it defines more than 3000 fields and values'],
])('does not compile a schema that would take seconds: %s', (type, text, why) => {
  const compile = (): void => {
    const reading = compileSchema({ type, text, references: [] })(Buffer.of(0));
    expect(readingText(reading)).toBe(`the ${type} schema of the value can not be used: ${why}`);
  };
  const atLimits = (): void => void compileSchema(aSchema('PROTOBUF', fields(2000)))(Buffer.of(0));
  expect(costAgainst(atLimits, compile)).toBeLessThan(1);
});

it('does not compile a schema that is nested too deeply', () => {
  const text = `${'{"type":"array","items":'.repeat(30_000)}"int"${'}'.repeat(30_000)}`;
  const reading = compileSchema({ type: 'AVRO', text, references: [] })(Buffer.of(0));
  expect(readingText(reading)).toBe('the AVRO schema of the value can not be used: it is nested too deeply');
});

it('compiles a schema of 2,000 fields', () => {
  expect(readingText(compileSchema(aSchema('PROTOBUF', fields(2000)))(Buffer.of(0)))).toMatch(/^\{"f0":0,.*\}$/);
});

it.each([
  ['AVRO', 'missing', 'there is no type missing'],
  ['PROTOBUF', 'message {', "illegal type name '{' (line 1)"],
  ['XML', '', 'there is no such type of schema here'],
])('rejects values of an unusable schema and names the reason: %s', (type, schema, why) => {
  const reading = compileSchema(aSchema(type, schema))(Buffer.from('secret'));
  expect(readingText(reading)).toBe(`the ${type} schema of the value can not be used: ${why}`);
});
