import { parseStrictJson } from '../../lib/strict-json.ts';
import type { FramedResult } from './format.ts';

/** A value that is JSON: the document to validate and the bytes that subscribers receive. Messages quote no value. */
export type ReadJson = Exclude<FramedResult, { readonly kind: 'plain' }>;

/** Parses JSON strictly. The bytes are the buffer that was passed in. */
export function parseJson(value: Buffer): ReadJson {
  const parsed = parseStrictJson(value);
  if (parsed.kind === 'json') return { kind: 'json', document: parsed.value, bytes: value };
  const kind = parsed.kind === 'too_large' ? 'too_large' : 'undecodable';
  return { kind, message: `the value ${parsed.problem}` };
}
