import { parseStrictJson } from '../../lib/strict-json.ts';
import type { KeySet } from './key-set.ts';
import { openPart } from './open-part.ts';
import {
  isSealableDocument,
  sealableParts,
  withoutSealed,
  type ClosedPart,
  type ClosedParts,
  type SealablePart,
} from './sealable-parts.ts';
import { isTooDeep, maxDocumentBytes } from './document-limits.ts';

export interface OpenedDocument {
  /** The document with its opened parts in clear. The same object if no part was opened. */
  readonly document: unknown;
  readonly closed: ClosedParts;
}

export interface OpeningPolicy {
  readonly keys: KeySet;
  /** Refuses credentials that are in clear. */
  readonly requireSealed: boolean;
}

export type OpenDocument = (document: unknown) => Promise<OpenedDocument>;

/** Creates a function that opens documents. Without keys it opens nothing, and the parser reports the sealed parts. */
export function createOpener(keys: KeySet | undefined, requireSealed: boolean): OpenDocument {
  return async (document) =>
    keys === undefined ? { document, closed: {} } : openDocument(document, { keys, requireSealed });
}

/** Drops sealed parts instead of opening them, for checks that have no access to the keys. */
export const ignoreSealed: OpenDocument = async (document) => ({
  document: isSealableDocument(document) ? withoutSealed(document) : document,
  closed: {},
});

/** Opens the sealed parts of an unvalidated configuration. Values that are not objects pass through unchanged. */
export async function openDocument(document: unknown, policy: OpeningPolicy): Promise<OpenedDocument> {
  if (!isSealableDocument(document)) return { document, closed: {} };
  const opened: Partial<Record<SealablePart, object>> = {};
  const closed: Partial<Record<SealablePart, ClosedPart>> = {};
  for (const part of sealableParts) {
    const value = document[part];
    if (typeof value === 'string') {
      const location = { part, _id: document._id, url: document.url };
      const result = await openPart(value, location, policy.keys);
      if (result.kind === 'opened') opened[part] = result.value;
      else closed[part] = result;
    } else if (policy.requireSealed && isCredential(part, value)) closed[part] = { problem: 'must be sealed' };
  }
  return { document: Object.keys(opened).length === 0 ? document : { ...document, ...opened }, closed };
}

export function isCredential(part: SealablePart, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  switch (part) {
    case 'auth':
      return !('authType' in value) || value.authType !== 'none';
    case 'customHeaders':
      return Object.keys(value).length > 0;
  }
}

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
