import { readText } from '../../test/support/files/sources.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Reads a JSON Schema of `docs/schemas`, to be embedded in a document that has a dialect of its own. */
export function publishedSchema(name: 'certificate' | 'result'): JsonSchema {
  const published: JsonSchema = JSON.parse(readText(`docs/schemas/${name}.schema.json`));
  const { $schema: _dialect, ...schema } = published;
  return schema;
}
