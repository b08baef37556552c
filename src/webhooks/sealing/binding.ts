import type { SealablePart } from './sealable-parts.ts';

/** Where a sealed part stands. */
export interface Place {
  readonly part: SealablePart;
  /** The configuration's fields, as they came. */
  readonly _id: unknown;
  readonly url: unknown;
}

/**
 * The name of our own parameter in a JWE's protected header. It says which configuration the part was sealed for: who may
 * write configurations and has no key could otherwise move a credential to a configuration that sends it elsewhere.
 */
export const bindingName = 'webhook';

export interface Binding {
  readonly part: string;
  readonly _id: string;
  /** Of the URL, with the port if it is not 443. The path may change, and is nobody's business in a header in clear. */
  readonly origin: string;
}

/** What a part that is sealed for this place says; undefined when the place is none: without an id or a URL. */
export function bindingFor({ part, _id, url }: Place): Binding | undefined {
  const origin = originOf(url);
  return typeof _id === 'string' && origin !== undefined ? { part, _id, origin } : undefined;
}

/** Why a part that says this does not belong here; undefined if it does. What others have sealed says nothing. */
export function bindingProblem(binding: unknown, place: Place): string | undefined {
  if (binding === undefined) return undefined;
  if (typeof binding !== 'object' || binding === null || Array.isArray(binding)) return notUnderstood;
  const said = new Map<string, unknown>(Object.entries(binding));
  if ([...said.keys()].some((name) => !places.some(([known]) => known === name))) return notUnderstood;
  const wanted = { part: place.part, _id: place._id, origin: originOf(place.url) };
  const wrong = places.filter(([name]) => said.has(name) && said.get(name) !== wanted[name]);
  return wrong.length === 0 ? undefined : `is sealed for ${wrong.map(([, other]) => other).join(' and ')}`;
}

const places: readonly (readonly [name: keyof Binding, other: string])[] = [
  ['part', 'another field'],
  ['_id', 'another _id'],
  ['origin', 'a url with another origin'],
];

const notUnderstood = `has a header parameter '${bindingName}' that is not understood`;

function originOf(url: unknown): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.origin : undefined;
}
