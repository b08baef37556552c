import { compactDecrypt } from 'jose';
import { parseStrictJson } from '../../lib/strict-json.ts';
import { bindingProblem, type Place } from './binding.ts';
import { readHeader, type JweHeader } from './jwe-header.ts';
import { describeKid, type KeySet } from './key-set.ts';
import type { SealingKey } from './sealing-key.ts';
import { algorithms, contentEncryptions } from './methods.ts';
import type { ClosedPart } from './sealable-parts.ts';

export type OpenedPart = { readonly kind: 'opened'; readonly value: object } | ({ readonly kind: 'closed' } & ClosedPart);

/** Opens what stands sealed at a place. Never rejects, and tells nothing of what is inside. */
export async function openPart(jwe: string, place: Place, keys: KeySet): Promise<OpenedPart> {
  const read = readHeader(jwe);
  if (read.kind === 'refused') return { kind: 'closed', problem: read.problem };
  const misplaced = bindingProblem(read.header.binding, place);
  if (misplaced !== undefined) return { kind: 'closed', problem: misplaced };
  const found = findKeys(read.header, keys);
  if (found.kind === 'closed') return found;
  const plaintext = await tryKeys(jwe, found.keys);
  return plaintext === undefined ? notOpened(read.header) : readPlaintext(plaintext);
}

type FoundKeys = { readonly kind: 'some'; readonly keys: KeySet } | ({ readonly kind: 'closed' } & ClosedPart);

/** A key id selects; without one every key that fits may be it. */
function findKeys({ kid, method }: JweHeader, all: KeySet): FoundKeys {
  const fitting = all.filter((key) => (kid === undefined || key.kid === kid) && key.methods.includes(method));
  const keys = fitting.filter(({ opening }) => opening !== undefined);
  if (keys.length > 0) return { kind: 'some', keys };
  const how = kid === undefined ? `by ${method}` : `by ${method} with the key ${describeKid(kid)}`;
  return fitting.length === 0
    ? { kind: 'closed', missing: 'key', problem: `is sealed ${how}, and WEBHOOK_KEYS_FILE holds no such key` }
    : { kind: 'closed', missing: 'private half', problem: `is sealed ${how}, which WEBHOOK_KEYS_FILE only seals with` };
}

async function tryKeys(jwe: string, keys: KeySet): Promise<Uint8Array | undefined> {
  for (const { opening } of keys) {
    const plaintext = opening && (await tryKey(jwe, opening));
    if (plaintext !== undefined) return plaintext;
  }
  return undefined;
}

async function tryKey(jwe: string, key: NonNullable<SealingKey['opening']>): Promise<Uint8Array | undefined> {
  try {
    const { plaintext } = await compactDecrypt(jwe, key, allowed);
    return plaintext;
  } catch {
    // A wrong key and a changed text fail alike, and nothing more is to be told of either.
    return undefined;
  }
}

/** The header was judged by this already; here it is the library that judges. */
const allowed = {
  keyManagementAlgorithms: [...algorithms],
  contentEncryptionAlgorithms: [...contentEncryptions],
  maxDecompressedLength: 0,
};

function notOpened({ kid }: JweHeader): OpenedPart {
  const tried = kid === undefined ? 'any key of WEBHOOK_KEYS_FILE' : `the key ${describeKid(kid)}`;
  const problem = `can't be opened with ${tried}: it was changed, or sealed with another key`;
  return { kind: 'closed', problem, missing: 'key' };
}

function readPlaintext(plaintext: Uint8Array): OpenedPart {
  const json = parseStrictJson(plaintext);
  const value = json.kind === 'json' ? json.value : undefined;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject
    ? { kind: 'opened', value }
    : { kind: 'closed', problem: 'is sealed, and what is inside is not the JSON of an object' };
}
