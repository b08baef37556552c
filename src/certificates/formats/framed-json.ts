import { parseStrictJson } from '../../lib/strict-json.ts';
import type { ReadResult } from './format.ts';

/**
 * Reads JSON, and does not apply its schema. Only its producer can promise what it writes. A schema can cost any amount of
 * time, for example by a regular expression, and stop the process.
 */
export function readJson(payload: Buffer): ReadResult {
  const parsed = parseStrictJson(payload);
  switch (parsed.kind) {
    case 'json':
      return { kind: 'json', document: parsed.value, bytes: payload };
    case 'other':
      return { kind: 'undecodable', message: `the value ${parsed.problem}` };
  }
}
