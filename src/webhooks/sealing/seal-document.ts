import { bindingFor } from './binding.ts';
import type { SealingKey } from './sealing-key.ts';
import { isCredential } from './open-document.ts';
import { isPartlySealed, sealableParts, type SealablePart } from './sealable-parts.ts';
import { sealPart } from './seal-part.ts';

/** The parts that were sealed, and what is to stand in their place. */
export type SealedParts = Readonly<Partial<Record<SealablePart, string>>>;

/**
 * Seals the credentials of a valid configuration that stand there in clear. What is sealed already is left alone, unless
 * the document is given in its opened form, too: then all of it is sealed anew.
 */
export async function sealDocument(
  document: unknown,
  key: SealingKey,
  opened: unknown = document,
): Promise<SealedParts> {
  const sealed: Partial<Record<SealablePart, string>> = {};
  if (!isPartlySealed(document) || !isPartlySealed(opened)) return sealed;
  for (const part of sealableParts) {
    const binding = bindingFor({ part, _id: document._id, url: document.url });
    const value = opened[part];
    const wasSealed = typeof document[part] === 'string' && typeof value === 'object';
    if (binding !== undefined && (wasSealed || isCredential(part, value))) {
      sealed[part] = await sealPart(value, binding, key);
    }
  }
  return sealed;
}
