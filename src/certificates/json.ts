import { parseStrictJson } from '../lib/strict-json.ts';

/** A record's value: the document to validate and the bytes that subscribers receive. Messages quote no value. */
export type ParsedValue =
  | { readonly kind: 'parsed'; readonly document: unknown; readonly body: Buffer }
  | { readonly kind: 'undecodable'; readonly message: string };

/** Parses JSON strictly. The body is the buffer that was passed in. */
export function parseJson(value: Buffer): ParsedValue {
  const parsed = parseStrictJson(value);
  switch (parsed.kind) {
    case 'json':
      return { kind: 'parsed', document: parsed.value, body: value };
    case 'other':
      return { kind: 'undecodable', message: `the value ${parsed.problem}` };
  }
}
