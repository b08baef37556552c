/** `alg` in a JWE's header: how the content's key is had. These, and no others. */
export const algorithms = ['dir', 'A256KW', 'RSA-OAEP-256', 'ECDH-ES', 'ECDH-ES+A256KW'] as const;
type Algorithm = (typeof algorithms)[number];

/** `enc`: how the content is sealed with it. */
export const contentEncryptions = ['A256GCM', 'A128GCM'] as const;
type ContentEncryption = (typeof contentEncryptions)[number];

/** What a key is used for. Under `dir` it is the content's own key, and of the length that this takes. */
export type Method = Exclude<Algorithm, 'dir'> | ContentEncryption;

export function methodOf(algorithm: Algorithm, encryption: ContentEncryption): Method {
  return algorithm === 'dir' ? encryption : algorithm;
}

/** What stands in the header of what is sealed by that method. */
export function headerOf(method: Method): { readonly alg: Algorithm; readonly enc: ContentEncryption } {
  return isContentEncryption(method) ? { alg: 'dir', enc: method } : { alg: method, enc: 'A256GCM' };
}

/** Those of the methods that a key's `alg` leaves it; it names the method, or `dir` as the header does. */
export function narrow(methods: readonly Method[], alg: string | undefined): readonly Method[] {
  return methods.filter((method) => alg === undefined || alg === method || alg === headerOf(method).alg);
}

/** What the `alg` of a key may be. */
export function namesOf(methods: readonly Method[]): string {
  return [...new Set(methods.flatMap((method) => [method, headerOf(method).alg]))].join(', ');
}

export function isAlgorithm(text: unknown): text is Algorithm {
  return algorithms.some((known) => known === text);
}

export function isContentEncryption(text: unknown): text is ContentEncryption {
  return contentEncryptions.some((known) => known === text);
}
