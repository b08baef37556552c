import { CompactEncrypt } from 'jose';
import { bindingName, type Binding } from './binding.ts';
import type { SealingKey } from './sealing-key.ts';
import { headerOf } from './methods.ts';

/** Seals a part for where it stands, with a key that seals. */
export async function sealPart(
  value: unknown,
  binding: Binding,
  { kid, methods, sealing }: SealingKey,
): Promise<string> {
  const [method] = methods;
  if (method === undefined || sealing === undefined) throw new TypeError('This key does not seal.');
  return new CompactEncrypt(Buffer.from(JSON.stringify(value), 'utf8'))
    .setProtectedHeader({ ...headerOf(method), ...(kid === undefined ? {} : { kid }), [bindingName]: binding })
    .encrypt(sealing);
}
