/** JSON Schema, draft 7, which Helm 3 and Helm 4 read. Patterns use Go's syntax, which has no look-ahead. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Returns the schema of an object that refuses unknown members, to catch typos. */
export function closedObject(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}
