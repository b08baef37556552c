import { createSecretKey } from 'node:crypto';
import { isFor, type Jwk } from './jwk.ts';
import { namesOf, narrow, type Method } from './methods.ts';
import type { ReadKey } from './sealing-key.ts';

/** By their length in bytes: those of 32 wrap the content's key or are it, those of 16 can only be it. */
const secretMethods: ReadonlyMap<number, readonly Method[]> = new Map([
  [32, ['A256KW', 'A256GCM']],
  [16, ['A128GCM']],
]);

export function readSecretKey(jwk: Jwk): ReadKey {
  const bytes = decode(jwk.k);
  const fitting = secretMethods.get(bytes.length);
  if (fitting === undefined) return unusable('has a k that is not 32 or 16 bytes in base64url');
  const methods = narrow(fitting, jwk.alg);
  if (methods.length === 0) return unusable(`has an alg other than ${namesOf(fitting)}`);
  const key = createSecretKey(bytes);
  const opening = isFor(jwk, ['decrypt', 'unwrapKey']) ? key : undefined;
  const sealing = isFor(jwk, ['encrypt', 'wrapKey']) ? key : undefined;
  if (opening === undefined && sealing === undefined) return unusable('has key_ops that let it neither seal nor open');
  return { kind: 'key', key: { kid: jwk.kid, methods, opening, sealing } };
}

/** Strictly: Node passes over what is not base64url, and a key cut short there would be another one. */
function decode(text = ''): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : Buffer.alloc(0);
}

function unusable(problem: string): ReadKey {
  return { kind: 'unusable', problem };
}
