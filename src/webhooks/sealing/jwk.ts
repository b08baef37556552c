/** The parameters that are text, besides `kty` and `kid`. `kty` decides which of the key material is required. */
const textNames = ['use', 'alg', 'k', 'crv', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** The JWK parameters used here: RFC 7517, section 4, and RFC 7518, section 6. */
export type Jwk = {
  readonly kty: string;
  readonly kid?: string;
  readonly key_ops?: readonly string[];
} & { readonly [Name in (typeof textNames)[number]]?: string };

const isText = (value: unknown): boolean => typeof value === 'string';

/** The check of each parameter. All but `kty` may be absent. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  kty: isText,
  kid: (value) => isText(value) && value !== '',
  key_ops: (value) => Array.isArray(value) && value.every(isText),
  ...Object.fromEntries(textNames.map((name) => [name, isText])),
};

/** Returns true for a JWK. It may have parameters that are not used here. */
export function isJwk(entry: object): entry is Jwk {
  return wrongParameters(entry).length === 0;
}

/** Returns the names of the parameters that are missing, or not as RFC 7517 has them. */
export function wrongParameters(entry: object): readonly string[] {
  const found = new Map<string, unknown>(Object.entries(entry));
  const isWrong = (name: string): boolean =>
    found.has(name) ? checks[name]?.(found.get(name)) !== true : name === 'kty';
  return Object.keys(checks).filter(isWrong);
}

export function isForSignatures({ use, key_ops: operations = [] }: Jwk): boolean {
  const onlySigns =
    operations.length > 0 && operations.every((operation) => operation === 'sign' || operation === 'verify');
  return use === 'sig' || onlySigns;
}

/** Returns true if `key_ops` is absent or lists at least one of these operations. */
export function allowsAnyOf({ key_ops: operations }: Jwk, wanted: readonly string[]): boolean {
  return operations === undefined || operations.some((operation) => wanted.includes(operation));
}
