/** JSON Schema, draft 7, which both Helm 3 and Helm 4 read. Its patterns are Go's: without look-ahead. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** An object that refuses members of other names, so that a typo is seen. */
export function closedObject(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}
