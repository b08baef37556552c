import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../../src/certificates/formats/json-schema.ts';
import { aSchema, readingText } from '../../support/registry/schemas.ts';

const draft = (name: string): string => `http://json-schema.org/${name}/schema#`;
const needsName = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function read(schema: unknown, value: string | Buffer): string {
  return readingText(compileJsonSchema(aSchema('JSON', schema))(Buffer.from(value)));
}

describe('a value with a JSON Schema', () => {
  it('keeps its exact bytes', () => {
    const text = ' {"name": "\\u0041", "n": 1.10, "name": "last"}\n';
    expect(read(needsName, text)).toBe(text);
  });

  it('is undecodable when it contradicts its schema, and the message names the violated rule', () => {
    expect(read(needsName, '{"name":7}')).toBe('the value contradicts its JSON schema: #/properties/name/type');
    expect(read(needsName, '{}')).toBe('the value contradicts its JSON schema: #/required');
    expect(read(false, '{}')).toBe('the value contradicts its JSON schema: #/false schema');
  });

  it.each([
    ['{"name":', 'the value is not JSON'],
    [Buffer.from('{"name":"\u00FF"}', 'latin1'), 'the value is not UTF-8'],
    ['\uFEFF{"name":"n"}', 'the value begins with a byte order mark'],
  ])('is undecodable when it is no JSON: %s', (value, message) => {
    expect(read(needsName, value)).toBe(message);
  });

  it.each([
    { ...needsName, $schema: draft('draft-07') },
    { ...needsName, $schema: draft('draft-06'), $id: 'https://example.com/certificate' },
    { ...needsName, $schema: 'https://json-schema.org/draft-07/schema' },
    { ...needsName, $schema: 'https://json-schema.org/draft/2019-09/schema' },
    { ...needsName, $schema: 'https://json-schema.org/draft/2020-12/schema' },
    needsName,
  ])('is validated by the draft of its schema: %j', (schema) => {
    expect(read(schema, '{"name":"n"}')).toBe('{"name":"n"}');
    expect(read(schema, '{"name":7}')).toContain('contradicts');
  });

  it('is validated by keywords of the newer drafts', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { list: { prefixItems: [{ type: 'string' }] } },
    };
    expect(read(schema, '{"list":[1]}')).toContain('#/properties/list/prefixItems/0/type');
  });

  it('is validated neither by formats nor by unknown keywords', () => {
    const schema = { properties: { at: { type: 'string', format: 'time', 'connect.type': 'x' } }, javaType: 'C' };
    expect(read(schema, '{"at":"never"}')).toBe('{"at":"never"}');
  });

  it.each([
    ['by its name', undefined, 'rules.json'],
    ['relative to the id of the schema', 'https://example.com/certificates/certificate.json', 'rules.json'],
    ['by its own id', undefined, 'https://example.com/rules'],
  ])('is validated by the references of its schema %s', (_how, $id, $ref) => {
    const rules = { type: 'object', required: ['type'], ...($ref.startsWith('https:') ? { $id: $ref } : {}) };
    const schema = { ...($id === undefined ? {} : { $id }), properties: { ruleData: { $ref } } };
    const format = compileJsonSchema(aSchema('JSON', schema, [{ name: $ref, text: JSON.stringify(rules) }]));
    expect(readingText(format(Buffer.from('{"ruleData":{"type":"t"}}')))).toBe('{"ruleData":{"type":"t"}}');
    expect(readingText(format(Buffer.from('{"ruleData":{}}')))).toContain('contradicts');
  });
});

it('rejects a value that is nested too deeply', () => {
  const lists = { type: 'array', items: { $ref: '#' } };
  expect(read(lists, '['.repeat(100_000) + ']'.repeat(100_000))).toContain('nested too deeply');
});

describe('a JSON Schema', () => {
  it.each([
    ['has a missing reference', { $ref: 'missing.json' }, 'missing.json'],
    ['is of a draft that is too old', { ...needsName, $schema: draft('draft-04') }, 'draft-04'],
    ['is no schema', 7, 'a schema is'],
    ['has an unknown type', { type: 'certificate' }, 'type'],
  ])('can not be used when it %s', (_what, schema, why) => {
    expect(() => compileJsonSchema(aSchema('JSON', schema))).toThrow(why);
  });
});
