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
import { namesOf, narrow, type Method } from './methods.ts';
import type { ReadKey } from './sealing-key.ts';

/** Whoever has the private half has the public one, which seals. */
export function readKeyPair(jwk: Jwk, fitting: readonly Method[]): ReadKey {
  const methods = narrow(fitting, jwk.alg);
  if (methods.length === 0) return unusable(`has an alg other than ${namesOf(fitting)}`);
  const opening = jwk.d === undefined ? undefined : importKey(createPrivateKey, jwk);
  const sealing = importKey(createPublicKey, jwk);
  if (sealing === undefined || (jwk.d !== undefined && opening === undefined)) return unusable(broken);
  const problem = weakness(sealing);
  if (problem !== undefined) return unusable(problem);
  if (opening !== undefined && !areHalves(opening, sealing)) return unusable(broken);
  return { kind: 'key', key: { kid: jwk.kid, methods, opening, sealing } };
}

const broken = 'is not complete, or has a value that is wrong';

function importKey(
  create: (input: { readonly key: JsonWebKey; readonly format: 'jwk' }) => KeyObject,
  jwk: Jwk,
): KeyObject | undefined {
  try {
    return create({ key: jwk, format: 'jwk' });
  } catch {
    // The message may quote the key.
    return undefined;
  }
}

const curves: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function weakness({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  if (type === 'rsa') return (details?.modulusLength ?? 0) < 2048 ? 'has fewer than 2048 bits' : undefined;
  const isKnown = type === 'x25519' || (type === 'ec' && curves.has(details?.namedCurve));
  return isKnown ? undefined : 'has a crv other than P-256, P-384, P-521 and X25519';
}

/** A private half of another key would only show in configurations that can't be opened, each of them a riddle. */
function areHalves(opening: KeyObject, sealing: KeyObject): boolean {
  try {
    return opening.asymmetricKeyType === 'rsa' ? opensRsa(opening, sealing) : agreesWith(opening, sealing);
  } catch {
    return false;
  }
}

function opensRsa(opening: KeyObject, sealing: KeyObject): boolean {
  const options = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const text = Buffer.from('anything');
  return privateDecrypt({ key: opening, ...options }, publicEncrypt({ key: sealing, ...options }, text)).equals(text);
}

/** Both sides of an exchange come to the same. */
function agreesWith(opening: KeyObject, sealing: KeyObject): boolean {
  const other = createPair(sealing);
  const [here, there] = [
    diffieHellman({ privateKey: opening, publicKey: other.publicKey }),
    diffieHellman({ privateKey: other.privateKey, publicKey: sealing }),
  ];
  return here.equals(there);
}

function createPair({ asymmetricKeyDetails: details }: KeyObject): {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
} {
  const namedCurve = details?.namedCurve;
  return namedCurve === undefined ? generateKeyPairSync('x25519') : generateKeyPairSync('ec', { namedCurve });
}

function unusable(problem: string): ReadKey {
  return { kind: 'unusable', problem };
}
