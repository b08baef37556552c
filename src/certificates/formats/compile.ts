import { compileAvro } from './avro.ts';
import type { Format, SchemaDocument } from './format.ts';
import { parseJson } from './json.ts';
import { compileProtobuf } from './protobuf.ts';
import { schemaExcess } from './schema-limits.ts';

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
