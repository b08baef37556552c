import { AvroContradictionError, AvroCursor } from './avro-cursor.ts';
import { readerOf, type NamedTypes } from './avro-schema.ts';
import type { Format, SchemaDocument } from './format.ts';
import { RecordTooComplexError } from './reading-limits.ts';

/** Compiles a reader of Avro's binary encoding. Throws when the schema can't be used. */
export function compileAvro({ text, references }: SchemaDocument): Format {
  const named: NamedTypes = new Map();
  for (const reference of references) readerOf(JSON.parse(reference.text), named);
  const read = readerOf(JSON.parse(text), named);
  return (payload) => {
    try {
      const cursor = new AvroCursor(payload);
      const value = read(cursor);
      cursor.end();
      return { kind: 'plain', value };
    } catch (error) {
      return { kind: 'undecodable', message: reasonOf(error) };
    }
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof RecordTooComplexError) return error.message;
  if (error instanceof AvroContradictionError) return `the value contradicts its Avro schema: ${error.message}`;
  if (error instanceof RangeError) return 'the value contradicts its Avro schema: it has a date that no calendar has';
  throw error;
}
