import { decodeProtectedHeader } from 'jose';
import { bindingName } from './binding.ts';
import { algorithms, contentEncryptions, isAlgorithm, isContentEncryption, methodOf, type Method } from './methods.ts';

/** What a JWE says of how to open it. Nobody has vouched for it yet. */
export interface JweHeader {
  readonly method: Method;
  readonly kid: string | undefined;
  readonly binding: unknown;
}

type ReadHeader =
  | { readonly kind: 'header'; readonly header: JweHeader }
  /** Completes a sentence about the part. */
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

/** Far more than the headers of a request may have. */
const maxCharacters = 64 * 1024;

/** Five parts in base64url, the second one empty where the key is not wrapped. */
const compactForm = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

const wrongAlgorithm = `must be sealed by alg ${algorithms.join(', ')} and enc ${contentEncryptions.join(', ')}`;

/** Bits at the end that no byte needs have to be zero: otherwise a changed text could open as if nobody had changed it. */
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
