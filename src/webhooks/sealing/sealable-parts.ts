/** What of a configuration may be sealed, and holds its credentials. */
export const sealableParts = ['auth', 'customHeaders'] as const;
export type SealablePart = (typeof sealableParts)[number];

/** Why a part can't be used: it could not be opened, or had to be sealed and is not. */
export interface ClosedPart {
  /** Completes a sentence about the part. No secret is in it. */
  readonly problem: string;
  /** What would open it: a key that is not in the set, or the private half of one that is. */
  readonly missing?: 'key' | 'private half';
}

export type ClosedParts = Readonly<Partial<Record<SealablePart, ClosedPart>>>;

/** What of a configuration matters to sealing, as it came. */
export interface PartlySealed extends Readonly<Partial<Record<SealablePart, unknown>>> {
  readonly _id?: unknown;
  readonly url?: unknown;
}

export function isPartlySealed(document: unknown): document is PartlySealed {
  return typeof document === 'object' && document !== null && !Array.isArray(document);
}

/** What is wrong with the parts of a configuration as they stand: a string is sealed still, and nobody tried to open it. */
export function closedProblems(document: PartlySealed, closed: ClosedParts): readonly string[] {
  return sealableParts.flatMap((part) => {
    const isSealed = typeof document[part] === 'string';
    const problem = closed[part]?.problem ?? (isSealed ? 'is sealed, and there is no WEBHOOK_KEYS_FILE' : undefined);
    return problem === undefined ? [] : [`${part}: ${problem}`];
  });
}

/** The same without what is sealed still. */
export function withoutSealed<Document extends PartlySealed>(document: Document): Document {
  const sealed = sealableParts.filter((part) => typeof document[part] === 'string');
  if (sealed.length === 0) return document;
  return { ...document, ...Object.fromEntries(sealed.map((part) => [part, undefined])) };
}
