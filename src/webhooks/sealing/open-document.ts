import type { KeySet } from './key-set.ts';
import { openPart } from './open-part.ts';
import {
  isPartlySealed,
  sealableParts,
  withoutSealed,
  type ClosedPart,
  type ClosedParts,
  type SealablePart,
} from './sealable-parts.ts';

export interface OpenedDocument {
  /** With what could be opened in the place of what was sealed: the very same document when nothing was. */
  readonly document: unknown;
  readonly closed: ClosedParts;
}

export interface OpeningPolicy {
  readonly keys: KeySet;
  /** Whether a credential that stands there in clear is refused. */
  readonly requireSealed: boolean;
}

export type OpenDocument = (document: unknown) => Promise<OpenedDocument>;

/** Without keys nothing is opened; who parses it finds out. */
export function createOpener(keys: KeySet | undefined, requireSealed: boolean): OpenDocument {
  return async (document) =>
    keys === undefined ? { document, closed: {} } : openDocument(document, { keys, requireSealed });
}

/** For who does not know which keys there are: what is sealed is taken for good. */
export const ignoreSealed: OpenDocument = async (document) => ({
  document: isPartlySealed(document) ? withoutSealed(document) : document,
  closed: {},
});

/** Opens the sealed parts of a configuration, which may be anything. */
export async function openDocument(document: unknown, policy: OpeningPolicy): Promise<OpenedDocument> {
  if (!isPartlySealed(document)) return { document, closed: {} };
  const opened: Partial<Record<SealablePart, object>> = {};
  const closed: Partial<Record<SealablePart, ClosedPart>> = {};
  for (const part of sealableParts) {
    const value = document[part];
    if (typeof value === 'string') {
      const place = { part, _id: document._id, url: document.url };
      const result = await openPart(value, place, policy.keys);
      if (result.kind === 'opened') opened[part] = result.value;
      else closed[part] = result;
    } else if (policy.requireSealed && isCredential(part, value)) closed[part] = { problem: 'must be sealed' };
  }
  return { document: Object.keys(opened).length === 0 ? document : { ...document, ...opened }, closed };
}

/** Whether a key might still come that opens it. */
export function awaitsKey(closed: ClosedParts): boolean {
  return Object.values(closed).some(({ missing: lacks }) => lacks !== undefined);
}

/** Whether there is something to hide in a part that stands there in clear. */
export function isCredential(part: SealablePart, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  switch (part) {
    case 'auth':
      return !('authType' in value) || value.authType !== 'none';
    case 'customHeaders':
      return Object.keys(value).length > 0;
  }
}
