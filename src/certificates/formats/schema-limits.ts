import type { SchemaDocument } from './format.ts';

/** Schemas that one schema may be made of. Each is a request. */
export const maxReferences = 200;
/** Characters of a schema with its references. Schemas of certificates have some thousands. */
export const maxSchemaCharacters = 1024 * 1024;
/** Fields and enumeration values of Protobuf. The library takes quadratic time for a message: 0.5 s for this many fields. */
const maxDefinitions = 3000;
/** A field in a descriptor has at least nine bytes, which are twelve characters of Base64. */
const charactersPerDescribedField = 12;

/** Returns why a schema asks for too much, or undefined. Checked before it is compiled, which takes the time. */
export function schemaExcess({ type, text, references, excess }: SchemaDocument): string | undefined {
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
