import { expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

it.each([
  ['AVRO', 'int', '02', '1'],
  ['JSON', { type: 'number' }, '31', '1'],
  ['PROTOBUF', 'syntax = "proto3"; message M { int32 f = 1; }', '000801', '{"f":1}'],
])('reads %s', (type, schema, hex, json) => {
  expect(readingText(compileSchema(aSchema(type, schema))(Buffer.from(hex, 'hex')))).toBe(json);
});

it.each([
  ['AVRO', 'missing', 'there is no type missing'],
  ['PROTOBUF', 'message {', "illegal type name '{' (line 1)"],
  ['XML', '', 'there is no such type of schema here'],
])('rejects values of an unusable schema and names the reason: %s', (type, schema, why) => {
  const reading = compileSchema(aSchema(type, schema))(Buffer.from('secret'));
  expect(readingText(reading)).toBe(`the ${type} schema of the value can not be used: ${why}`);
});
