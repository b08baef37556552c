import {
  constants,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { Jwk } from './jwk.ts';
import { algNamesOf, filterByAlg, type Method } from './methods.ts';
import type { ReadKey } from './sealing-key.ts';

/** Reads an asymmetric key. A private key also seals, because it includes the public half. */
export function readKeyPair(jwk: Jwk, supported: readonly Method[]): ReadKey {
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

/** Generates a key pair on the same curve. */
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
