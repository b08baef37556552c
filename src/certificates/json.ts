import { parseStrictJson } from '../lib/strict-json.ts';
import type { Parsed } from './value-codec.ts';

/** JSON decoded strictly. The body is the value itself, byte for byte. */
export function parseJson(value: Buffer): Parsed {
  const parsed = parseStrictJson(value);
  switch (parsed.kind) {
    case 'json':
      return { kind: 'parsed', document: parsed.value, body: value };
    case 'other':
      return { kind: 'undecodable', message: `the value ${parsed.problem}` };
  }
}
