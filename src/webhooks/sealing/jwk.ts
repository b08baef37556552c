import { z } from 'zod';

const text = z.string().exactOptional();

/** RFC 7517, section 4, and RFC 7518, section 6, as far as it matters here. */
export const jwkSchema = z.object({
  kty: z.string(),
  kid: z.string().min(1).exactOptional(),
  use: text,
  alg: text,
  key_ops: z.array(z.string()).exactOptional(),
  // What a key consists of, by its type.
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
  const onlySigns = operations.length > 0 && operations.every((one) => one === 'sign' || one === 'verify');
  return use === 'sig' || onlySigns;
}

/** Whether the key may do one of these. */
export function isFor({ key_ops: operations }: Jwk, wanted: readonly string[]): boolean {
  return operations === undefined || operations.some((operation) => wanted.includes(operation));
}
