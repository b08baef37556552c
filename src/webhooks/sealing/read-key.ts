import { isForSignatures, isJwk, wrongParameters } from './jwk.ts';
import { readKeyPair } from './key-pair.ts';
import { readSecretKey } from './secret-key.ts';
import type { ReadKey } from './sealing-key.ts';

/** Reads one entry of a JWK set, and imports its key. */
export function readKey(jwk: unknown): ReadKey {
  if (typeof jwk !== 'object' || jwk === null) return { kind: 'unusable', problem: 'is no JWK: it is no object' };
  if (!isJwk(jwk)) {
    const names = wrongParameters(jwk).join(', ');
    return { kind: 'unusable', problem: `is no JWK: ${names} must be as RFC 7517 has it` };
  }
  if (isForSignatures(jwk)) return { kind: 'for signatures' };
  switch (jwk.kty) {
    case 'oct':
      return readSecretKey(jwk);
    case 'RSA':
      return readKeyPair(jwk, ['RSA-OAEP-256']);
    case 'EC':
    case 'OKP':
      return readKeyPair(jwk, ['ECDH-ES+A256KW', 'ECDH-ES']);
    default:
      return { kind: 'unusable', problem: 'has a kty other than oct, RSA, EC and OKP' };
  }
}
