import { generateKeyPairSync, randomBytes, type JsonWebKey } from 'node:crypto';
import { parseKeySet, type KeySet } from '../../src/webhooks/sealing/key-set.ts';

/** One entry of a JWK set. */
export interface Jwk extends JsonWebKey {
  readonly kid?: string;
}

export function secretJwk(kid?: string, more: Jwk = {}): Jwk {
  return { kty: 'oct', k: randomBytes(32).toString('base64url'), ...(kid === undefined ? {} : { kid }), ...more };
}

export function rsaJwk(kid: string, bits = 2048): Jwk {
  return { ...generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ format: 'jwk' }), kid };
}

export function curveJwk(kid: string, curve: 'P-256' | 'P-384' | 'P-521' | 'X25519' | 'secp256k1'): Jwk {
  const { privateKey } =
    curve === 'X25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve: curve });
  return { ...privateKey.export({ format: 'jwk' }), kid };
}

const privateFields: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi']);

export function publicHalf(jwk: Jwk): Jwk {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => !privateFields.has(name)));
}

/** Returns the text of a key set file. */
export function keySetText(...keys: readonly Jwk[]): string {
  return JSON.stringify({ keys });
}

export function keySet(...keys: readonly Jwk[]): KeySet {
  const parsed = parseKeySet(keySetText(...keys));
  if (parsed.kind === 'unusable') throw new Error(parsed.problems.join('; '));
  return parsed.keys;
}
