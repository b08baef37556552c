import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { isObject, parseStrictJson } from '../../lib/strict-json.ts';
import { bindingProblem, type PartLocation, readHeader, type JweHeader } from './jwe-header.ts';
import { describeException, isTooDeep } from './document-limits.ts';
import { describeKid, type KeySet } from './key-set.ts';
import { algorithms, contentEncryptions, type SealingKey } from './methods.ts';
import type { ClosedPart } from './sealable-parts.ts';

export type OpenedPart =
  { readonly kind: 'opened'; readonly value: object } | ({ readonly kind: 'closed' } & ClosedPart);

/**
 * Opens a sealed part. Never rejects, and no problem that it reports contains anything of the content.
 *
 * The checks run in this order, the cheap ones first:
 *
 * | Check | Refuses |
 * | --- | --- |
 * | `readHeader` | text that is not a canonical compact JWE, or an `alg`, `enc`, `zip` or `crit` that is not accepted |
 * | `bindingProblem` | a part copied from another field, another configuration or another origin |
 * | `findKeys` | a part that no key of the set fits; `missing` names what would open it |
 * | `tryKeys` | changed text, or a wrong key; decryption can't distinguish these two |
 * | `readPlaintext` | content that is not a JSON object, or is nested too deep |
 *
 * The header is not authenticated before `tryKeys`. A forged binding passes the second check but not the fourth,
 * because the protected header is part of the authenticated data.
 *
 * An exception of our own code closes the part, because it would otherwise stop the configurations that come after it.
 */
export async function openPart(jwe: string, location: PartLocation, keys: KeySet): Promise<OpenedPart> {
  try {
    return await tryOpenPart(jwe, location, keys);
  } catch (error) {
    return { kind: 'closed', problem: `can not be opened: ${describeException(error)}` };
  }
}

async function tryOpenPart(jwe: string, location: PartLocation, keys: KeySet): Promise<OpenedPart> {
  const read = readHeader(jwe);
  if (read.kind === 'refused') return { kind: 'closed', problem: read.problem };
  const misplaced = bindingProblem(read.header.binding, location);
  if (misplaced !== undefined) return { kind: 'closed', problem: misplaced };
  const found = findKeys(read.header, keys);
  if (found.kind === 'closed') return found;
  const plaintext = await tryKeys(jwe, found.keys);
  return plaintext === undefined ? notOpened(read.header) : readPlaintext(plaintext);
}

type FoundKeys = { readonly kind: 'found'; readonly keys: KeySet } | ({ readonly kind: 'closed' } & ClosedPart);

/** Selects the keys with the JWE's `kid`, or all keys for its method if it has none. */
function findKeys({ kid, method }: JweHeader, all: KeySet): FoundKeys {
  const matching = all.filter((key) => (kid === undefined || key.kid === kid) && key.methods.includes(method));
  const keys = matching.filter(({ opening }) => opening !== undefined);
  if (keys.length > 0) return { kind: 'found', keys };
  const how = kid === undefined ? `by ${method}` : `by ${method} with the key ${describeKid(kid)}`;
  return matching.length === 0
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
    const { plaintext } = await compactDecrypt(jwe, key, decryptOptions);
    return plaintext;
  } catch {
    // A wrong key and changed text fail alike. The error is dropped so that no detail of the content leaks.
    return undefined;
  }
}

/** The same limits that `readHeader` checks, enforced again by the library. */
const decryptOptions = {
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
  if (!isObject(value))
    return { kind: 'closed', problem: 'is sealed, and what is inside is not the JSON of an object' };
  return isTooDeep(value)
    ? { kind: 'closed', problem: 'is sealed, and what is inside is nested more than 32 deep' }
    : { kind: 'opened', value };
}
