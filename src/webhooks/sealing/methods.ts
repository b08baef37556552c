import type { KeyObject } from 'node:crypto';

/** Accepted values of `alg` in a JWE's header: how the content encryption key is obtained. */
export const algorithms = ['dir', 'A256KW', 'RSA-OAEP-256', 'ECDH-ES', 'ECDH-ES+A256KW'] as const;
type Algorithm = (typeof algorithms)[number];

/** Accepted values of `enc` in a JWE's header: how the content is encrypted. */
export const contentEncryptions = ['A256GCM', 'A128GCM'] as const;
type ContentEncryption = (typeof contentEncryptions)[number];

/** The way a key is used. With `dir` the key itself encrypts the content, so `enc` decides its length. */
export type Method = Exclude<Algorithm, 'dir'> | ContentEncryption;

export function methodOf(algorithm: Algorithm, encryption: ContentEncryption): Method {
  return algorithm === 'dir' ? encryption : algorithm;
}

export function headerFor(method: Method): { readonly alg: Algorithm; readonly enc: ContentEncryption } {
  return isContentEncryption(method) ? { alg: 'dir', enc: method } : { alg: method, enc: 'A256GCM' };
}

/** Returns the methods that a key's `alg` allows. `alg` names the method itself, or `dir` as the header does. */
export function filterByAlg(methods: readonly Method[], alg: string | undefined): readonly Method[] {
  return methods.filter((method) => alg === undefined || alg === method || alg === headerFor(method).alg);
}

/** Lists the `alg` values that a key for these methods may have. */
export function algNamesOf(methods: readonly Method[]): string {
  return [...new Set(methods.flatMap((method) => [method, headerFor(method).alg]))].join(', ');
}

export function isAlgorithm(text: unknown): text is Algorithm {
  return algorithms.some((known) => known === text);
}

export function isContentEncryption(text: unknown): text is ContentEncryption {
  return contentEncryptions.some((known) => known === text);
}

/** One key of the set. A `KeyObject` never prints its key material. */
export interface SealingKey {
  readonly kid: string | undefined;
  /** The methods that the key may be used for. Sealing uses the first one. */
  readonly methods: readonly Method[];
  /** Undefined if the key can't open: a public half, or a secret key whose `key_ops` forbid it. */
  readonly opening: KeyObject | undefined;
  /** Undefined if the key may only open, as a key that is being retired. */
  readonly sealing: KeyObject | undefined;
}
