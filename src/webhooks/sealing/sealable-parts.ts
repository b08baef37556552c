import { isObject } from '../../lib/strict-json.ts';

/** The fields of a configuration that hold its credentials and may be sealed. */
export const sealableParts = ['auth', 'customHeaders'] as const;
export type SealablePart = (typeof sealableParts)[number];

/** A part that can't be used: it could not be opened, or is in clear although sealing is required. */
export interface ClosedPart {
  /** Completes a sentence about the part, and contains no secret. */
  readonly problem: string;
  /** The key material that would open it: a key not in the set, or the private half of one that is. */
  readonly missing?: 'key' | 'private half';
}

export type ClosedParts = Readonly<Partial<Record<SealablePart, ClosedPart>>>;

/** The unvalidated fields of a configuration that sealing uses. */
export interface SealableDocument extends Readonly<Partial<Record<SealablePart, unknown>>> {
  readonly _id?: unknown;
  readonly url?: unknown;
}

export function isSealableDocument(document: unknown): document is SealableDocument {
  return isObject(document);
}

/** Lists the problems of the closed parts. A string without a recorded problem is sealed and was never tried. */
export function closedProblems(document: SealableDocument, closed: ClosedParts): readonly string[] {
  return sealableParts.flatMap((part) => {
    const isSealed = typeof document[part] === 'string';
    const problem = closed[part]?.problem ?? (isSealed ? 'is sealed, and there is no WEBHOOK_KEYS_FILE' : undefined);
    return problem === undefined ? [] : [`${part}: ${problem}`];
  });
}

/** Returns the document with every part that is still sealed set to undefined. */
export function withoutSealed<Document extends SealableDocument>(document: Document): Document {
  const sealed = sealableParts.filter((part) => typeof document[part] === 'string');
  if (sealed.length === 0) return document;
  return { ...document, ...Object.fromEntries(sealed.map((part) => [part, undefined])) };
}

/** Returns true if a key that is added later could open one of these parts. */
export function awaitsKey(closed: ClosedParts): boolean {
  return Object.values(closed).some(({ missing }) => missing !== undefined);
}
