import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/certificates/formats/compile.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';
import { costAgainst } from '../../support/time/processor-time.ts';

const needsName = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function read(schema: unknown, value: string | Buffer): string {
  return readingText(compileSchema(aSchema('JSON', schema))(Buffer.from(value)));
}

describe('a value with a JSON Schema', () => {
  it('keeps its exact bytes', () => {
    const text = ' {"name": "\\u0041", "n": 1.10, "name": "last"}\n';
    expect(read(needsName, text)).toBe(text);
  });

  it.each([
    ['{"name":', 'the value is not JSON'],
    [Buffer.from('{"name":"\u00FF"}', 'latin1'), 'the value is not UTF-8'],
    ['\uFEFF{"name":"n"}', 'the value begins with a byte order mark'],
  ])('is undecodable when it is no JSON: %s', (value, message) => {
    expect(read(needsName, value)).toBe(message);
  });

  it.each<readonly [string, unknown, string]>([
    ['contradicts it', needsName, '{"name":7}'],
    ['is forbidden by it', false, '{}'],
    ['has a schema of draft 4', { ...needsName, $schema: 'http://json-schema.org/draft-04/schema#' }, '{"name":"n"}'],
    ['has an enum with a repeated value', { enum: ['a', 'a'] }, '"a"'],
    ['has a pattern that only the flag `u` refuses', { pattern: String.raw`^\-$` }, '"-"'],
    ['has a reference that nobody registered', { $ref: 'missing.json' }, '{}'],
    ['has a schema that is none', 7, '{}'],
    ['has a schema that is no JSON', undefined, '{}'],
  ])('is read when it %s', (_what, schema, text) => {
    expect(read(schema, text)).toBe(text);
  });

  it.each<readonly [string, unknown, string]>([
    [
      'a pattern that takes exponential time',
      { properties: { name: { pattern: String.raw`^(([A-Za-z0-9]+)[\s-]?)+$` } } },
      JSON.stringify({ name: `${'Donaudampfschifffahrtsgesellschaft'.repeat(4)}!` }),
    ],
    [
      'unique items that take quadratic time',
      { type: 'array', uniqueItems: true },
      JSON.stringify(Array.from({ length: 30_000 }, (_, index) => ({ $ref: index }))),
    ],
    [
      'values that are nested deeply',
      { type: 'array', items: { $ref: '#' } },
      '['.repeat(100_000) + ']'.repeat(100_000),
    ],
  ])('is read at once when its schema asks for %s', (_what, schema, text) => {
    const compiled = compileSchema(aSchema('JSON', schema));
    const unasked = compileSchema(aSchema('JSON', {}));
    const readBy = (reading: typeof compiled) => (): void => expect(readingText(reading(Buffer.from(text)))).toBe(text);
    expect(costAgainst(readBy(unasked), readBy(compiled))).toBeLessThan(50);
  });
});
