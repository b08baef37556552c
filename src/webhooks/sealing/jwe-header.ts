import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { bindingName } from './binding.ts';
import { algorithms, contentEncryptions, isAlgorithm, isContentEncryption, methodOf, type Method } from './methods.ts';

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
