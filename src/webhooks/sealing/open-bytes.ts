import { parseStrictJson } from '../../lib/strict-json.ts';
import { openDocument, type OpeningPolicy } from './open-document.ts';
import type { ClosedParts } from './sealable-parts.ts';

/** A configuration for the directory: the original bytes, or new bytes if a part was opened. */
export interface OpenedBytes {
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

export async function openBytes(bytes: Uint8Array, policy: OpeningPolicy): Promise<OpenedBytes> {
  const json = parseStrictJson(bytes);
  // The directory reports bytes that are not JSON.
  if (json.kind === 'other') return { document: bytes, closed: {} };
  const { document, closed } = await openDocument(json.value, policy);
  return { document: document === json.value ? bytes : Buffer.from(JSON.stringify(document), 'utf8'), closed };
}
