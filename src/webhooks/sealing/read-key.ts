import {
  constants,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { algNamesOf, filterByAlg, type Method, type SealingKey } from './methods.ts';

type ReadKey =
  | { readonly kind: 'key'; readonly key: SealingKey }
  | { readonly kind: 'for signatures' }
  /** The problem completes a sentence about the key, and contains no key material. */
  | { readonly kind: 'unusable'; readonly problem: string };

export function readKey(jwk: unknown): ReadKey {
  if (typeof jwk !== 'object' || jwk === null) return unusable('is no JWK: it is no object');
  if (!isJwk(jwk)) return unusable(`is no JWK: ${wrongParameters(jwk).join(', ')} must be as RFC 7517 has it`);
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
      return unusable('has a kty other than oct, RSA, EC and OKP');
  }
}

/** Methods by key length in bytes. Keys of 32 bytes wrap the content key or are it; keys of 16 bytes can only be it. */
const secretMethods: ReadonlyMap<number, readonly Method[]> = new Map([
  [32, ['A256KW', 'A256GCM']],
  [16, ['A128GCM']],
]);

function readSecretKey(jwk: Jwk): ReadKey {
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

/** Reads an asymmetric key. A private key also seals, because it includes the public half. */
function readKeyPair(jwk: Jwk, supported: readonly Method[]): ReadKey {
  const methods = filterByAlg(supported, jwk.alg);
  if (methods.length === 0) return unusable(`has an alg other than ${algNamesOf(supported)}`);
  const opening = jwk.d === undefined ? undefined : importKey(createPrivateKey, jwk);
  const sealing = importKey(createPublicKey, jwk);
  if (sealing === undefined || (jwk.d !== undefined && opening === undefined)) return unusable(incompleteOrWrong);
  const problem = unsupportedKeyProblem(sealing);
  if (problem !== undefined) return unusable(problem);
  if (opening !== undefined && !isMatchingPair(opening, sealing)) return unusable(incompleteOrWrong);
  return { kind: 'key', key: { kid: jwk.kid, methods, opening, sealing } };
}

const incompleteOrWrong = 'is not complete, or has a value that is wrong';

function importKey(
  create: (input: { readonly key: JsonWebKey; readonly format: 'jwk' }) => KeyObject,
  jwk: Jwk,
): KeyObject | undefined {
  try {
    return create({ key: jwk, format: 'jwk' });
  } catch {
    // Discards the error: its message may quote the key.
    return undefined;
  }
}

const curves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function unsupportedKeyProblem({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): string | undefined {
  if (type === 'rsa') return (details?.modulusLength ?? 0) < 2048 ? 'has fewer than 2048 bits' : undefined;
  const isKnown = type === 'x25519' || (type === 'ec' && curves.has(details?.namedCurve));
  return isKnown ? undefined : 'has a crv other than P-256, P-384, P-521 and X25519';
}

/** Checks that both halves belong together. A mismatch would otherwise show only as configurations that do not open. */
function isMatchingPair(opening: KeyObject, sealing: KeyObject): boolean {
  try {
    return opening.asymmetricKeyType === 'rsa' ? decryptsRsa(opening, sealing) : agreesOnSecret(opening, sealing);
  } catch {
    return false;
  }
}

function decryptsRsa(opening: KeyObject, sealing: KeyObject): boolean {
  const options = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const text = Buffer.from('anything');
  return privateDecrypt({ key: opening, ...options }, publicEncrypt({ key: sealing, ...options }, text)).equals(text);
}

/** Checks that both sides of a Diffie-Hellman exchange with a temporary key pair compute the same secret. */
function agreesOnSecret(opening: KeyObject, sealing: KeyObject): boolean {
  const temporary = generatePair(sealing);
  const ownSecret = diffieHellman({ privateKey: opening, publicKey: temporary.publicKey });
  const peerSecret = diffieHellman({ privateKey: temporary.privateKey, publicKey: sealing });
  return ownSecret.equals(peerSecret);
}

function generatePair({ asymmetricKeyDetails: details }: KeyObject): {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
} {
  const namedCurve = details?.namedCurve;
  return namedCurve === undefined ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve });
}

function unusable(problem: string): ReadKey {
  return { kind: 'unusable', problem };
}

/** The parameters that are text, besides `kty` and `kid`. `kty` decides which of the key material is required. */
const textNames = ['use', 'alg', 'k', 'crv', 'x', 'y', 'n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** The JWK parameters used here: RFC 7517, section 4, and RFC 7518, section 6. */
type Jwk = {
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
function isJwk(entry: object): entry is Jwk {
  return wrongParameters(entry).length === 0;
}

/** Returns the names of the parameters that are missing, or not as RFC 7517 has them. */
function wrongParameters(entry: object): readonly string[] {
  const found = new Map<string, unknown>(Object.entries(entry));
  const isWrong = (name: string): boolean =>
    found.has(name) ? checks[name]?.(found.get(name)) !== true : name === 'kty';
  return Object.keys(checks).filter(isWrong);
}

function isForSignatures({ use, key_ops: operations = [] }: Jwk): boolean {
  const onlySigns =
    operations.length > 0 && operations.every((operation) => operation === 'sign' || operation === 'verify');
  return use === 'sig' || onlySigns;
}

/** Returns true if `key_ops` is absent or lists at least one of these operations. */
function allowsAnyOf({ key_ops: operations }: Jwk, wanted: readonly string[]): boolean {
  return operations === undefined || operations.some((operation) => wanted.includes(operation));
}
