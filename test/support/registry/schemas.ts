import type { Reading, SchemaDocument } from '../../../src/certificates/formats/format.ts';
import { toJson } from '../../../src/certificates/plain.ts';

/** The text of a Protobuf file, or what the text of another schema says in JSON. */
export function aSchema(type: string, schema: unknown, references: SchemaDocument['references'] = []): SchemaDocument {
  return { type, text: type === 'PROTOBUF' ? String(schema) : JSON.stringify(schema), references };
}

/** A reading as text: the JSON that it comes to, or why it comes to none. */
export function readingText(reading: Reading): string {
  switch (reading.kind) {
    case 'plain':
      return toJson(reading.value);
    case 'json':
      return reading.bytes.toString('utf8');
    case 'undecodable':
      return reading.message;
  }
}
