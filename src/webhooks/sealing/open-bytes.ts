import { parseStrictJson } from '../../lib/strict-json.ts';
import { isTooDeep, maxDocumentBytes } from './document-limits.ts';
import { openDocument, type OpeningPolicy } from './open-document.ts';
import type { ClosedParts } from './sealable-parts.ts';

/** A configuration for the directory: the original bytes, or new bytes if a part was opened. */
export interface OpenedBytes {
  readonly document: Uint8Array;
  readonly closed: ClosedParts;
}

/** Opens the sealed parts of a configuration. Never rejects. Leaves bytes as they are that the directory refuses anyway. */
export async function openBytes(bytes: Uint8Array, policy: OpeningPolicy): Promise<OpenedBytes> {
  const unopened = { document: bytes, closed: {} };
  if (bytes.length > maxDocumentBytes) return unopened;
  const json = parseStrictJson(bytes);
  if (json.kind !== 'json' || isTooDeep(json.value)) return unopened;
  const { document, closed } = await openDocument(json.value, policy);
  return { document: document === json.value ? bytes : Buffer.from(JSON.stringify(document), 'utf8'), closed };
}
