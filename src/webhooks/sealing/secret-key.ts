import { createSecretKey } from 'node:crypto';
import { allowsAnyOf, type Jwk } from './jwk.ts';
import { algNamesOf, filterByAlg, type Method } from './methods.ts';
import type { ReadKey } from './sealing-key.ts';

/** Methods by key length in bytes. Keys of 32 bytes wrap the content key or are it; keys of 16 bytes can only be it. */
const secretMethods: ReadonlyMap<number, readonly Method[]> = new Map([
  [32, ['A256KW', 'A256GCM']],
  [16, ['A128GCM']],
]);

export function readSecretKey(jwk: Jwk): ReadKey {
  const bytes = decode(jwk.k);
  const supported = secretMethods.get(bytes.length);
  if (supported === undefined) return unusable('has a k that is not 32 or 16 bytes in base64url');
  const methods = filterByAlg(supported, jwk.alg);
  if (methods.length === 0) return unusable(`has an alg other than ${algNamesOf(supported)}`);
  const key = createSecretKey(bytes);
  const opening = allowsAnyOf(jwk, ['decrypt', 'unwrapKey']) ? key : undefined;
  const sealing = allowsAnyOf(jwk, ['encrypt', 'wrapKey']) ? key : undefined;
  if (opening === undefined && sealing === undefined) return unusable('has key_ops that let it neither seal nor open');
  return { kind: 'key', key: { kid: jwk.kid, methods, opening, sealing } };
}

/** Decodes strictly. Node ignores invalid base64url characters, which would silently yield a different key. */
function decode(text = ''): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : Buffer.alloc(0);
}

function unusable(problem: string): ReadKey {
  return { kind: 'unusable', problem };
}
