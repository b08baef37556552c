import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { algorithms, contentEncryptions, isAlgorithm, isContentEncryption, methodOf, type Method } from './methods.ts';
import { isObject } from '../../lib/strict-json.ts';
import type { SealablePart } from './sealable-parts.ts';

/** The parameters needed to open a JWE. They are not authenticated before decryption succeeds. */
export interface JweHeader {
  readonly method: Method;
  readonly kid: string | undefined;
  readonly binding: unknown;
}

type ReadHeader =
  | { readonly kind: 'header'; readonly header: JweHeader }
  /** The problem completes a sentence about the part. */
  | { readonly kind: 'refused'; readonly problem: string };

export function readHeader(jwe: string): ReadHeader {
  const header = isCompact(jwe) ? decodeHeader(jwe) : undefined;
  if (header === undefined) return refused('must be an object, or a JWE in compact form');
  const { alg, enc, kid, zip, crit } = header;
  if (!isAlgorithm(alg) || !isContentEncryption(enc)) return refused(wrongAlgorithm);
  if (zip !== undefined) return refused('must not be compressed before it is sealed');
  if (crit !== undefined) return refused('has header parameters that are critical and not understood');
  if (kid !== undefined && typeof kid !== 'string') return refused('has a kid that is no string');
  return { kind: 'header', header: { method: methodOf(alg, enc), kid, binding: header[bindingName] } };
}

/** Bounds the work before decryption. A request's headers are far smaller than 64 Ki characters. */
const maxCharacters = 64 * 1024;

/** Five base64url segments. The second, the encrypted key, is empty for algorithms that wrap no key. */
const compactForm = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

const wrongAlgorithm = `must be sealed by alg ${algorithms.join(', ')} and enc ${contentEncryptions.join(', ')}`;

/** Requires canonical base64url. Unused trailing bits could otherwise be changed without making decryption fail. */
function isCompact(jwe: string): boolean {
  if (jwe.length > maxCharacters || !compactForm.test(jwe)) return false;
  return jwe.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function decodeHeader(jwe: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeProtectedHeader(jwe);
  } catch {
    return undefined;
  }
}

function refused(problem: string): ReadHeader {
  return { kind: 'refused', problem };
}

/** The position of a sealed part: a field of one configuration. */
export interface PartLocation {
  readonly part: SealablePart;
  /** Unvalidated fields of the configuration. */
  readonly _id: unknown;
  readonly url: unknown;
}

/**
 * Our own parameter in a JWE's protected header. It names the configuration that the part was sealed for. Without it,
 * anyone who can write configurations could move a sealed credential to another URL, without having a key.
 */
export const bindingName = 'webhook';

export interface Binding {
  readonly part: string;
  readonly _id: string;
  /** The URL's origin, with the port if it is not 443. The path may change, and this header is not encrypted. */
  readonly origin: string;
}

/** Returns the binding for a part sealed at this location, or undefined if the id or a valid URL is missing. */
export function bindingFor({ part, _id, url }: PartLocation): Binding | undefined {
  const origin = originOf(url);
  return typeof _id === 'string' && origin !== undefined ? { part, _id, origin } : undefined;
}

/**
 * Returns why a part with this binding does not belong at the location, or undefined if it does.
 * Parts sealed by other programs have no binding and are accepted anywhere. Any field of a binding may be missing.
 */
export function bindingProblem(binding: unknown, location: PartLocation): string | undefined {
  if (binding === undefined) return undefined;
  if (!isObject(binding)) return notUnderstood;
  const fields = new Map<string, unknown>(Object.entries(binding));
  if ([...fields.keys()].some((name) => !mismatchTexts.some(([known]) => known === name))) return notUnderstood;
  const expected = { part: location.part, _id: location._id, origin: originOf(location.url) };
  const mismatches = mismatchTexts.filter(([name]) => fields.has(name) && fields.get(name) !== expected[name]);
  return mismatches.length === 0 ? undefined : `is sealed for ${mismatches.map(([, text]) => text).join(' and ')}`;
}

const mismatchTexts: readonly (readonly [name: keyof Binding, text: string])[] = [
  ['part', 'another field'],
  ['_id', 'another _id'],
  ['origin', 'a url with another origin'],
];

const notUnderstood = `has a header parameter '${bindingName}' that is not understood`;

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}
