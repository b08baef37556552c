import { parseStrictJson } from '../../lib/strict-json.ts';
import { openDocument, type OpeningPolicy } from './open-document.ts';
import type { ClosedParts } from './sealable-parts.ts';

/** A configuration as the directory takes it: the bytes that came, or others where something was opened. */
export interface OpenedBytes {
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

export async function openBytes(bytes: Uint8Array, policy: OpeningPolicy): Promise<OpenedBytes> {
  const json = parseStrictJson(bytes);
  // What is wrong with them is for the directory to say.
  if (json.kind === 'other') return { document: bytes, closed: {} };
  const { document, closed } = await openDocument(json.value, policy);
  return { document: document === json.value ? bytes : Buffer.from(JSON.stringify(document), 'utf8'), closed };
}
