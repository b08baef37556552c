import { compileAvro } from './avro.ts';
import { parseJson, type Format, type SchemaDocument } from '../framing.ts';
import { compileProtobuf } from './protobuf.ts';

const compilers: ReadonlyMap<string, (schema: SchemaDocument) => Format> = new Map([
  ['AVRO', compileAvro],
  // Its schema is not applied. It could cost any amount of time, for example by a regular expression.
  ['JSON', () => parseJson],
  ['PROTOBUF', compileProtobuf],
]);

/** Compiles a schema. Never throws: with an unusable schema, all values are undecodable for that reason. */
export function compileSchema(schema: SchemaDocument): Format {
  const compile = compilers.get(schema.type);
  if (compile === undefined) return unusable(schema, 'there is no such type of schema here');
  const excess = schemaExcess(schema);
  if (excess !== undefined) return unusable(schema, excess);
  try {
    return compile(schema);
  } catch (error) {
    if (error instanceof RangeError) return unusable(schema, 'it is nested too deeply');
    return unusable(schema, error instanceof Error ? error.message : 'it is not understood');
  }
}

/** Returns a format that rejects all values. The reason may quote the schema, which is no secret, but never a value. */
function unusable({ type }: SchemaDocument, why: string): Format {
  return () => ({ kind: 'undecodable', message: `the ${type} schema of the value can not be used: ${why}` });
}

/** Schemas that one schema may be made of. Each is a request. */
export const maxReferences = 200;
/** Characters of a schema with its references. Schemas of certificates have some thousands. */
export const maxSchemaCharacters = 1024 * 1024;
/** Fields and enumeration values of Protobuf. The library takes quadratic time for a message: 0.5 s for this many fields. */
const maxDefinitions = 3000;
/** A field in a descriptor has at least nine bytes, which are twelve characters of Base64. */
const charactersPerDescribedField = 12;

/** Returns why a schema asks for too much, or undefined. Checked before it is compiled, which takes the time. */
function schemaExcess({ type, text, references, excess }: SchemaDocument): string | undefined {
  // JSON is read without its schema.
  if (type === 'JSON') return undefined;
  if (excess !== undefined) return excess;
  const texts = [text, ...references.map((reference) => reference.text)];
  if (texts.reduce((sum, one) => sum + one.length, 0) > maxSchemaCharacters) return tooLong;
  if (type !== 'PROTOBUF') return undefined;
  const definitions = texts.reduce((sum, one) => sum + definitionsIn(one), 0);
  return definitions > maxDefinitions ? `it defines more than ${maxDefinitions} fields and values` : undefined;
}

export const tooLong = `it has more than ${maxSchemaCharacters} characters with its references`;
export const tooManyReferences = `it is made of more than ${maxReferences} others`;

/** Counts equals signs in source code, which has one for each definition. Text without a semicolon is Base64. */
function definitionsIn(text: string): number {
  return text.includes(';') ? text.split('=').length - 1 : text.length / charactersPerDescribedField;
}
