import { parseStrictJson } from '../../lib/strict-json.ts';
import { readKey } from './read-key.ts';
import type { SealingKey } from './methods.ts';

/** Keys in file order. */
export type KeySet = readonly SealingKey[];

export type ParsedKeySet =
  | { readonly kind: 'keys'; readonly keys: KeySet }
  /** Each problem names the entry by its position and `kid`, and contains no key material. */
  | { readonly kind: 'unusable'; readonly problems: readonly string[] };

/** Enough for years of rotation. Bounds the decryption attempts for a part without `kid`. */
const maxKeys = 100;

/**
 * Parses a JWK set (RFC 7517, section 5). Skips signature keys, because other programs may share the set.
 * Rejects the set if any other key is unusable, or if no usable key is left.
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

/** Returns the first key that can seal. In a rotation, the new key is placed before those that only open. */
export function sealingKeyOf(keys: KeySet): SealingKey | undefined {
  return keys.find(({ sealing }) => sealing !== undefined);
}

/** Quotes a key id for messages, shortened to 100 characters. Key ids are untrusted input but not secret. */
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
