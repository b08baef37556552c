import type { Plain } from '../plain.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';

/** The result of reading a value with its schema. Messages quote nothing of the value. */
export type FramedResult =
  | { readonly kind: 'plain'; readonly value: Plain }
  /** The value is JSON already, so its bytes are sent unchanged. */
  | { readonly kind: 'json'; readonly document: unknown; readonly bytes: Buffer }
  | { readonly kind: 'undecodable' | 'too_large'; readonly message: string };

export type Format = (payload: Buffer) => FramedResult;

export interface SchemaDocument {
  /** `AVRO`, `JSON` and `PROTOBUF` are supported. */
  readonly type: string;
  readonly text: string;
  /** Direct and indirect references. Each comes after its own references. */
  readonly references: readonly SchemaReference[];
  /** Why the references are not complete, and the schema can't be used. */
  readonly excess?: string;
}

export interface SchemaReference {
  readonly name: string;
  readonly text: string;
}

/** A value that is JSON: the document to validate and the bytes that subscribers receive. Messages quote no value. */
export type ReadJson = Exclude<FramedResult, { readonly kind: 'plain' }>;

/** Parses JSON strictly. The bytes are the buffer that was passed in. */
export function parseJson(value: Buffer): ReadJson {
  const parsed = parseStrictJson(value);
  if (parsed.kind === 'json') return { kind: 'json', document: parsed.value, bytes: value };
  const kind = parsed.kind === 'too_large' ? 'too_large' : 'undecodable';
  return { kind, message: `the value ${parsed.problem}` };
}
