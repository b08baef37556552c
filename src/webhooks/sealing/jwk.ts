import { z } from 'zod';

const text = z.string().exactOptional();

/** The JWK parameters used here: RFC 7517, section 4, and RFC 7518, section 6. */
export const jwkSchema = z.object({
  kty: z.string(),
  kid: z.string().min(1).exactOptional(),
  use: text,
  alg: text,
  key_ops: z.array(z.string()).exactOptional(),
  // Key material; `kty` decides which of these are required.
  k: text,
  crv: text,
  x: text,
  y: text,
  n: text,
  e: text,
  d: text,
  p: text,
  q: text,
  dp: text,
  dq: text,
  qi: text,
});

export type Jwk = z.infer<typeof jwkSchema>;

export function isForSignatures({ use, key_ops: operations = [] }: Jwk): boolean {
  const onlySigns =
    operations.length > 0 && operations.every((operation) => operation === 'sign' || operation === 'verify');
  return use === 'sig' || onlySigns;
}

/** Returns true if `key_ops` is absent or lists at least one of these operations. */
export function allowsAnyOf({ key_ops: operations }: Jwk, wanted: readonly string[]): boolean {
  return operations === undefined || operations.some((operation) => wanted.includes(operation));
}
