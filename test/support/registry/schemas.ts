import type { FramedResult, SchemaDocument } from '../../../src/certificates/framing.ts';
import { toJson } from '../../../src/certificates/plain.ts';

/** Builds a schema from the text of a Protobuf file, or from the JSON of another schema. */
export function aSchema(type: string, schema: unknown, references: SchemaDocument['references'] = []): SchemaDocument {
  return { type, text: type === 'PROTOBUF' ? String(schema) : JSON.stringify(schema), references };
}

/** Returns the JSON of a reading, or the reason why there is none. */
export function readingText(reading: FramedResult): string {
  switch (reading.kind) {
    case 'plain':
      return toJson(reading.value);
    case 'json':
      return reading.bytes.toString('utf8');
    case 'undecodable':
    case 'too_large':
      return reading.message;
  }
}
