import { compileAvro } from './avro.ts';
import type { Format, SchemaDocument } from './format.ts';
import { compileJsonSchema } from './json-schema.ts';
import { compileProtobuf } from './protobuf.ts';

const compilers: ReadonlyMap<string, (schema: SchemaDocument) => Format> = new Map([
  ['AVRO', compileAvro],
  ['JSON', compileJsonSchema],
  ['PROTOBUF', compileProtobuf],
]);

/** Never throws: what is framed with a schema that can't be used is undecodable, and says why. */
export function compileSchema(schema: SchemaDocument): Format {
  const compile = compilers.get(schema.type);
  if (compile === undefined) return unusable(schema, 'there is no such type of schema here');
  try {
    return compile(schema);
  } catch (error) {
    return unusable(schema, error instanceof Error ? error.message : 'it is not understood');
  }
}

/** What is wrong is said of the schema, which anyone may know, and not of a value. */
function unusable({ type }: SchemaDocument, why: string): Format {
  return () => ({ kind: 'undecodable', message: `the ${type} schema of the value can not be used: ${why}` });
}
