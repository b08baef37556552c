import type { z } from 'zod';
import { isForSignatures, jwkSchema } from './jwk.ts';
import { readKeyPair } from './key-pair.ts';
import { readSecretKey } from './secret-key.ts';
import type { ReadKey } from './sealing-key.ts';

/** Reads one entry of a JWK set, and imports its key. */
export function readKey(entry: unknown): ReadKey {
  const parsed = jwkSchema.safeParse(entry);
  if (!parsed.success) return { kind: 'unusable', problem: `is no JWK: ${describeFields(parsed.error)}` };
  const jwk = parsed.data;
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

/** Names the invalid fields. An entry that is not an object has none. */
function describeFields({ issues }: z.ZodError): string {
  const fields = new Set(issues.flatMap(({ path }) => (path[0] === undefined ? [] : [String(path[0])])));
  return fields.size === 0 ? 'it is no object' : `${[...fields].join(', ')} must be as RFC 7517 has it`;
}
