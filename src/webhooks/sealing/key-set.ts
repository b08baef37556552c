import { parseStrictJson } from '../../lib/strict-json.ts';
import { readKey } from './read-key.ts';
import type { SealingKey } from './sealing-key.ts';

/** Keys in the order of their file. */
export type KeySet = readonly SealingKey[];

export type ParsedKeySet =
  | { readonly kind: 'keys'; readonly keys: KeySet }
  /** Each names the entry by its place and its `kid`. No key is in them. */
  | { readonly kind: 'unusable'; readonly problems: readonly string[] };

/** Enough for years of rotation. What names no key is tried with every one that fits. */
const maxKeys = 100;

/**
 * Reads a JWK set (RFC 7517, section 5). Keys that are there for signatures are passed over, since other programs may
 * share the set; one that can't be used for any other reason is a mistake, and so is a set without keys.
 */
export function parseKeySet(text: string): ParsedKeySet {
  const entries = entriesOf(text);
  if (entries === undefined) return unusable('it is not a JSON object with a list of keys');
  if (entries.length > maxKeys) return unusable(`it holds more than ${maxKeys} keys`);
  const read = entries.map(readKey);
  const problems = read.flatMap((entry, index) =>
    entry.kind === 'unusable' ? [`${describeEntry(entries[index], index)} ${entry.problem}`] : [],
  );
  if (problems.length > 0) return { kind: 'unusable', problems };
  const keys = read.flatMap((entry) => (entry.kind === 'key' ? [entry.key] : []));
  return keys.length > 0 ? { kind: 'keys', keys } : unusable('it holds no key that seals or opens');
}

/** The first one that can: a new key is put in front of those that only open any more. */
export function sealingKeyOf(keys: KeySet): SealingKey | undefined {
  return keys.find(({ sealing }) => sealing !== undefined);
}

/** Quoted and of bounded length: it comes from outside, and is no secret. */
export function describeKid(kid: string): string {
  return JSON.stringify(kid.slice(0, 100));
}

function unusable(problem: string): ParsedKeySet {
  return { kind: 'unusable', problems: [problem] };
}

function entriesOf(text: string): readonly unknown[] | undefined {
  const json = parseStrictJson(Buffer.from(text, 'utf8'));
  const isSet = json.kind === 'json' && typeof json.value === 'object' && json.value !== null && 'keys' in json.value;
  return isSet && Array.isArray(json.value.keys) ? json.value.keys : undefined;
}

function describeEntry(entry: unknown, index: number): string {
  const hasKid = typeof entry === 'object' && entry !== null && 'kid' in entry && typeof entry.kid === 'string';
  return `key ${index + 1}${hasKid ? ` (kid ${describeKid(String(entry.kid))})` : ''}`;
}
