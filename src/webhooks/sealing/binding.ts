import { isObject } from '../../lib/strict-json.ts';
import type { SealablePart } from './sealable-parts.ts';

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
