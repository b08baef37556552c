import { CompactEncrypt } from 'jose';
import { bindingFor, bindingName, type Binding } from './jwe-header.ts';
import { headerFor, type SealingKey } from './methods.ts';
import { isCredential } from './open-document.ts';
import { isSealableDocument, sealableParts, type SealablePart } from './sealable-parts.ts';

export type SealedParts = Readonly<Partial<Record<SealablePart, string>>>;

/**
 * Seals the credentials in clear of a valid configuration. Parts that are already sealed stay as they are.
 * If the opened form of the document is passed, too, they are sealed again with this key.
 */
export async function sealDocument(
  document: unknown,
  key: SealingKey,
  opened: unknown = document,
): Promise<SealedParts> {
  const sealed: Partial<Record<SealablePart, string>> = {};
  if (!isSealableDocument(document) || !isSealableDocument(opened)) return sealed;
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

/** Seals one part and binds it to its location. Throws if the key can't seal. */
export async function sealPart(
  value: unknown,
  binding: Binding,
  { kid, methods, sealing }: SealingKey,
): Promise<string> {
  const [method] = methods;
  if (method === undefined || sealing === undefined) throw new TypeError('This key does not seal.');
  return new CompactEncrypt(Buffer.from(JSON.stringify(value), 'utf8'))
    .setProtectedHeader({ ...headerFor(method), ...(kid === undefined ? {} : { kid }), [bindingName]: binding })
    .encrypt(sealing);
}
